"""What is put in comes out again, and nothing else in the file changes."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context_mode_installer import formats

CASES = sorted((Path(__file__).parent / "cases").iterdir())
FORMS = {".json": "json", ".jsonc": "jsonc-trailing", ".toml": "toml", ".yaml": "yaml"}
ENTRY = {"command": "/home/me/my data/bin/serve", "args": ["--agent", "x"], "env": {"A": "C:\\d"}, "timeout": 660}
GROUP = {"matcher": "Bash|Read", "hooks": [{"type": "command", "command": "/b/hook x", "timeout": 10}]}
STATE = "/home/me/.agent/hooks.json:pre_tool_use:0:0"
EDITS = {
    "entry": ("set", ("mcpServers", "context-mode"), ENTRY),
    "toml entry": ("set", ("mcp_servers", "context-mode"), ENTRY),
    "one value": ("set", ("features", "extra"), True),
    "top value": ("set", ("extra",), "x"),
    "value in ours": ("set", ("mcp_servers", "files", "extra"), [1, 2]),
    "quoted key": ("set", ("hooks", "state", STATE, "trusted_hash"), "sha256:11"),
    "back slashes": ("set", ("hooks", "state", "C:\\Users\\Lea Chan\\h.json:stop:0:0"), {"trusted_hash": "s"}),
    "group": ("append", ("hooks", "PreToolUse"), GROUP),
    "other group": ("append", ("hooks", "Stop"), GROUP),
    "handler": ("append", ("hooks", "PreToolUse", 0, "hooks"), GROUP["hooks"][0]),
    "in a list": ("append", ("permissions", "allow"), "mcp__context-mode"),
    "plugin": ("append", ("plugin",), "/p/x.js"),
}


def _apply(form: str, data: bytes, edit: tuple[str, formats.Path, object]) -> tuple[bytes, formats.Path]:
    kind, path, value = edit
    if kind == "set":
        return formats.set_value(form, data, path, value), path
    new = formats.append_item(form, data, path, value)
    items = formats.get(formats.read(form, new), path)
    assert isinstance(items, list)
    return new, (*path, len(items) - 1)


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_is_put_in_comes_out(case: Path, edit: tuple[str, formats.Path, object]) -> None:
    form, data = FORMS[case.suffix], case.read_bytes()
    there = formats.get(formats.read(form, data), edit[1][:1])
    if isinstance(there, str | int) or (isinstance(there, list) and len(edit[1]) > 1):
        return
    if edit[1][:3] == ("hooks", "PreToolUse", 0) and formats.get(formats.read(form, data), edit[1]) is formats.MISSING:
        return
    new, path = _apply(form, data, edit)
    assert formats.same(formats.get(formats.read(form, new), path), edit[2])
    assert formats.remove(form, new, path, before=data) == data


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_all_edits_one_after_the_other_and_back(case: Path) -> None:
    form, data = FORMS[case.suffix], case.read_bytes()
    done: list[tuple[formats.Path, bytes]] = []
    for name in ("entry", "group", "quoted key", "in a list", "top value"):
        if formats.get(formats.read(form, data), EDITS[name][1][:1]) in ({}, formats.MISSING) or case.suffix == ".json":
            new, path = _apply(form, data if not done else done[-1][1], EDITS[name])
            done.append((path, new))
    new = done[-1][1]
    for path, _ in done:
        new = formats.remove(form, new, path, before=data)
    assert new == data


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_file_after_edit_looks_as_its_owner_writes(case: Path, snapshot: object) -> None:
    form, data = FORMS[case.suffix], case.read_bytes()
    name = "toml entry" if form == "toml" else "entry"
    assert _apply(form, data, EDITS[name])[0].decode() == snapshot


BAD = [
    ("json", b'{"theme":"dark", "hooks": {', 1, 28, "ends here"),
    ("json", b'{\n  "a": 1\n  "b": 2\n}', 3, 3, '","'),
    ("json", b"{\n  // no\n}", 2, 3, "comment"),
    ("json", b'{"a": [1, ]}', 1, 11, '"," before the end'),
    ("jsonc", b'{"a": 1, // x\n}', 2, 1, '"," before the end'),
    ("jsonc", b'{"a": tru}', 1, 7, "value is missing"),
    ("json", b"{} x", 1, 4, "behind the end"),
    ("json", b'{"a": "x\ny"}', 1, 7, "closing quote"),
    ("json", b'{"\xff": 1}', 1, 3, "UTF-8"),
    ("json", b"[" * 100_000, 1, 1, "deep"),
    ("toml", b"a = 1\nb = \n", 2, 5, "nvalid value"),
    ("toml", b"[a]\n[a]\n", 2, 4, "[Cc]annot declare|twice"),
    ("yaml", b"a: 1\nb: [1\n", 3, 1, "no YAML"),
    ("yaml", b"a: 1\n\tb: 2\n", 2, 1, "no YAML"),
    ("yaml", b"a: 1\n---\nb: 2\n", 2, 1, "no YAML"),
    ("toml", b"a = [1,", 1, 8, "array|value"),
]


@pytest.mark.parametrize(("form", "data", "line", "column", "words"), BAD)
def test_a_fault_is_named_with_its_place(form: str, data: bytes, line: int, column: int, words: str) -> None:
    with pytest.raises(formats.FormatError, match=words) as caught:
        formats.set_value(form, data, ("mcp", "x"), {})
    assert caught.value.line == line
    assert form == "toml" or caught.value.column == column  # the columns of tomllib differ between versions


SHAPES = [
    ("yaml", b"hooks: 1\n", ("hooks", "Stop"), 8),
    ("yaml", b"hooks:\n  Stop: x\n", ("hooks", "Stop"), 9),
    ("json", b'{"hooks": "x"}', ("hooks", "Stop"), 11),
    ("json", b'{"hooks": {"Stop": {}}}', ("hooks", "Stop"), 20),
    ("toml", b"hooks = 1\n", ("hooks", "Stop"), 9),
    ("toml", b"[hooks]\nStop = 'x'\n", ("hooks", "Stop"), 1),
]


@pytest.mark.parametrize(("form", "data", "path", "column"), SHAPES)
def test_another_thing_at_the_path_is_refused(form: str, data: bytes, path: formats.Path, column: int) -> None:
    with pytest.raises(formats.ShapeError, match=r"no (list|table)") as caught:
        formats.append_item(form, data, path, "x")
    assert caught.value.column == column


def test_an_equal_value_changes_no_byte() -> None:
    data = b'{"a":{"b":[1,  2]}}'
    assert formats.set_value("json", data, ("a",), {"b": [1, 2]}) == data


def test_values_are_replaced_where_they_stand() -> None:
    data = b'{\n  "a": 1, // one\n  "b": {"c": [1]}\n}'
    assert formats.set_value("jsonc", data, ("a",), "x") == data.replace(b"1, //", b'"x", //')
    toml = b"[t]\na = 1 # one\n[t.u]\nb = 2\n"
    assert formats.set_value("toml", toml, ("t", "a"), "x") == toml.replace(b"1 #", b'"x" #')


def test_a_users_remark_on_our_line_stays() -> None:
    data = b'{\n  "a": 1,\n  "ours": 2 // my remark\n}\n'
    assert formats.remove("jsonc", data, ("ours",)) == b'{\n  "a": 1\n  // my remark\n}\n'


def test_duplicates_of_a_key_go_together() -> None:
    assert formats.remove("json", b'{"x": 1, "a": 2, "x": 3}', ("x",)) == b'{"a": 2}'


def test_a_key_gets_another_name_everywhere() -> None:
    data = b'[s."a:0:0"]\nh = 1\n[s."a:0:0".sub]\nx = 1\n'
    assert formats.rename_key("toml", data, ("s", "a:0:0"), "a:0:1") == data.replace(b"a:0:0", b"a:0:1")
    assert formats.rename_key("json", b'{"s": {"a": 1}}', ("s", "a"), "b") == b'{"s": {"b": 1}}'


@pytest.mark.parametrize("path", ["C:\\Users\\Lea Chan\\py.exe", "D:\\ctx", 'a"b', "it's\\x", "\x7f\u0001é"])
def test_any_path_is_read_back_as_it_was(path: str) -> None:
    data = formats.set_value("toml", b"", ("hooks", "state", path), {"p": path})
    assert tomllib.loads(data.decode()) == {"hooks": {"state": {path: {"p": path}}}}


# --- any document

_keys = st.sampled_from(["a", "hooks", "mcp", "é\\", "//", "x y"]) | st.text(max_size=4)
_scalars = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=6)
)
_json = st.recursive(_scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_keys, inner, max_size=3))
_white = st.sampled_from(["", " ", "\n", "\r\n", "\n  ", "\t", " /* c, ] */ ", " // }\n", "\n// x\n  "])


@st.composite
def _documents(draw: st.DrawFn) -> bytes:
    """Any object, with white space, comments and trailing commas in any place where they may stand."""

    def gap() -> str:
        return draw(_white)

    def write(value: object) -> str:
        if not isinstance(value, dict | list):
            return json.dumps(value, ensure_ascii=draw(st.booleans()))
        pairs = value.items() if isinstance(value, dict) else ((None, item) for item in value)
        parts = [
            gap() + ("" if key is None else write(key) + gap() + ":" + gap()) + write(item) + gap()
            for key, item in pairs
        ]
        end = "," + gap() if len(parts) > 0 and draw(st.booleans()) else ""
        left, right = ("{", "}") if isinstance(value, dict) else ("[", "]")
        return left + (",".join(parts) or gap()) + end + right

    root = draw(st.dictionaries(_keys, _json, max_size=4))
    return (draw(st.sampled_from(["", "\ufeff"])) + gap() + write(root) + gap()).encode()


@settings(max_examples=150, deadline=None)
@given(_documents(), st.lists(_keys, min_size=1, max_size=3), _json)
def test_any_jsonc_document_takes_and_gives_back_an_entry(data: bytes, keys: list[str], value: object) -> None:
    _set_and_remove("jsonc-trailing", data, tuple(keys), value)


@settings(max_examples=100, deadline=None)
@given(_documents(), st.lists(_keys, min_size=1, max_size=2), _json)
def test_any_jsonc_list_takes_and_gives_back_an_item(data: bytes, keys: list[str], value: object) -> None:
    path = tuple(keys)
    try:
        new = formats.append_item("jsonc-trailing", data, path, value)
    except formats.ShapeError:
        return
    items = formats.get(formats.read("jsonc-trailing", new), path)
    assert isinstance(items, list)
    assert formats.same(items[-1], value)
    assert formats.remove("jsonc-trailing", new, (*path, len(items) - 1), before=data) == data


def _set_and_remove(form: str, data: bytes, path: formats.Path, value: object) -> None:
    if formats.get(formats.read(form, data), path) is not formats.MISSING:
        return
    try:
        new = formats.set_value(form, data, path, value)
    except formats.ShapeError:
        return
    assert formats.same(formats.get(formats.read(form, new), path), value)
    assert formats.remove(form, new, path, before=data) == data


_toml_keys = st.sampled_from(["a", "b", "mcp", "context-mode", "x y", "C:\\x", "é", 'q"', "it's\\"])
_toml_values = st.recursive(
    st.booleans() | st.integers(-9, 9) | st.text(max_size=5) | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_toml_keys, inner, max_size=3),
    max_leaves=6,
)
_pieces = st.sampled_from([
    "[a]\nk = 1 # one\n",
    "[a.b]\nz = '''\n[mcp]\n'''\n", "[mcp.x]\ncommand = 'c'\n\n", "[[l]]\n  k = [\n 1, # c\n 2,\n]\n",
    "[[l]]\n[[l.m]]\ns = 1\n", "# remark\n", "\n", '["x y"]\nk = { i = { }, j = [ ] }\n', "[[l]]\n[l.t]\nu.v = 1\n",
])  # fmt: skip
_heads = st.sampled_from(["", "top = 1\n", "mcp.q = { r = 1 }\n", "# c\n\nb = [ { k = 1 } ]\n", "b.c.d = 2\n\n"])


@st.composite
def _toml_documents(draw: st.DrawFn) -> bytes:
    text = draw(_heads) + "".join(draw(st.lists(_pieces, max_size=6)))
    if draw(st.booleans()):
        text = text.rstrip("\n")
    return (text.replace("\n", "\r\n") if draw(st.booleans()) else text).encode()


@settings(max_examples=150, deadline=None)
@given(_toml_documents(), st.lists(_toml_keys, min_size=1, max_size=3), _toml_values)
def test_any_toml_document_takes_and_gives_back_an_entry(data: bytes, keys: list[str], value: object) -> None:
    try:
        formats.read("toml", data)
    except formats.FormatError:
        return
    _set_and_remove("toml", data, tuple(keys), value)


@settings(max_examples=100, deadline=None)
@given(
    _toml_documents(),
    st.sampled_from([("l",), ("l", 0, "m"), ("a", "n"), ("b",)]),
    st.dictionaries(_toml_keys, _toml_values),
)
def test_any_toml_list_takes_and_gives_back_a_table(data: bytes, path: formats.Path, item: dict[str, object]) -> None:
    try:
        before = formats.get(formats.read("toml", data), path[:2])
        new = formats.append_item("toml", data, path, item)
    except formats.FormatError:
        return
    if len(path) > 2 and before is formats.MISSING:
        return
    items = formats.get(formats.read("toml", new), path)
    assert isinstance(items, list)
    assert formats.remove("toml", new, (*path, len(items) - 1), before=data) == data


_yaml_pieces = st.sampled_from([
    "a: 1 # one\n", "mcp:\n  x: {k: v}\n", "l:\n- a\n- b # c\n", "l:\n    - k: |\n        t\n\n    - z\n", "# remark\n",
    "\n", "m:\n  n:\n    o: >-\n      folded\n    # in\n  p: [1, 2]\n", "b: {}\n", "c: []  # none\n", '"x y": ~\n',
])  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(st.lists(_yaml_pieces, max_size=5), st.booleans(), st.lists(_toml_keys, min_size=1, max_size=3), _toml_values)
def test_any_yaml_document_takes_and_gives_back_an_entry(
    pieces: list[str], windows: bool, keys: list[str], value: object
) -> None:
    data = "".join(pieces).replace("\n", "\r\n" if windows else "\n").encode()
    try:
        formats.read("yaml", data)
    except formats.FormatError:
        return
    _set_and_remove("yaml", data, tuple(keys), value)


@settings(max_examples=100, deadline=None)
@given(st.lists(_yaml_pieces, max_size=5), st.sampled_from([("l",), ("c",), ("m", "p"), ("q",)]), _toml_values)
def test_any_yaml_list_takes_and_gives_back_an_item(pieces: list[str], path: formats.Path, item: object) -> None:
    data = "".join(pieces).rstrip("\n").encode()
    try:
        new = formats.append_item("yaml", data, path, item)
    except formats.FormatError:
        return
    items = formats.get(formats.read("yaml", new), path)
    assert isinstance(items, list)
    assert formats.remove("yaml", new, (*path, len(items) - 1), before=data) == data
