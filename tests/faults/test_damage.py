"""Damaged databases and logs: no process fails, what is whole stays, what isn't is kept aside, and work goes on."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from context_mode_runtime.store.db import Store
from context_mode_runtime.store.sources import add_source

from .conftest import AGENT, Figure, Hooks, printed, store_of, texts_of

CASES = YAML(typ="safe").load(Path(__file__).with_name("damage.yaml").read_text(encoding="utf-8"))
SUFFIXES = {"db": "", "wal": "-wal", "shm": "-shm"}
PAGE = 8192


def filled(store: Store, keep: Path, words: tuple[str, str]) -> None:
    """A store with a text in its file and one in its log, as a kill leaves it: copied to `keep` while it is open."""
    with store:
        add_source(store, printed(words[0]), label="early", kind="log")
        store.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        add_source(store, printed(words[1]), label="late", kind="log")
        keep.mkdir()
        for suffix in SUFFIXES.values():
            shutil.copy(store.path + suffix, keep / f"context.db{suffix}")


def hurt(path: Path, other: Path, kind: str, value: Any, rng: random.Random) -> None:
    data = path.read_bytes()
    at = int(len(data) * value) // PAGE * PAGE if kind in ("garbage", "zeros") else 0
    match kind:
        case "keep":
            path.write_bytes(data[: int(len(data) * value)])
        case "empty":
            path.write_bytes(b"")
        case "gone":
            path.unlink()
        case "garbage":
            path.write_bytes(data[:at] + rng.randbytes(PAGE) + data[at + PAGE :])
        case "zeros":
            path.write_bytes(data[:at] + bytes(PAGE) + data[at + PAGE :])
        case "tail":
            path.write_bytes(data + rng.randbytes(value))
        case "other":
            shutil.copy(other / path.name, path)
        case _:
            raise AssertionError(kind)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_a_damaged_store(
    case: dict[str, Any], hooks: Hooks, serve: Any, project: Path, tmp_path: Path, figure: Figure
) -> None:
    store = store_of(project)
    place = Path(store.path)
    filled(store, tmp_path / "kept", ("pangolin", "quokka"))
    filled(Store.open("other-1", name="other"), tmp_path / "other", ("numbat", "wombat"))
    for suffix in SUFFIXES.values():
        place.with_name(place.name + suffix).unlink(missing_ok=True)
        shutil.copy(tmp_path / "kept" / f"context.db{suffix}", place.parent)
    for act in case["do"]:
        ((kind, value),) = ((key, value) for key, value in act.items() if key != "file")
        path = place.with_name(place.name + SUFFIXES[act["file"]])
        hurt(path, tmp_path / "other", kind, value, random.Random(case["name"]))
    assert hooks.denies()
    stored = hooks.stores("bandicoot")
    host = serve(AGENT)
    found = {
        word: host.call("ctx_search", {"queries": [word], "scope": "project"})[0] for word in ("pangolin", "quokka")
    }
    assert host.call("ctx_index", {"text": printed("kowari"), "label": "after"})[0].startswith("Indexed 1 source(s)")
    assert "kowari" in host.call("ctx_search", {"queries": ["kowari"]})[0]
    host.close()
    assert hooks.stores("dunnart")
    aside = [path for path in place.parent.glob("context.db.damaged-*") if not path.name.endswith(("-wal", "-shm"))]
    texts = texts_of(project, mend=True)
    assert texts["after"] == printed("kowari")
    assert texts["print dunnart"].strip() == printed("dunnart").strip()
    assert not stored or aside or "print bandicoot" in texts
    for label, word in (("early", "pangolin"), ("late", "quokka")):
        assert texts.get(label) in (None, printed(word))
        if case[label]:
            assert label in texts
            assert f"of {word}" in found[word]
    if "early" not in texts:
        assert aside
        assert "damaged" in hooks.log()
    kept = " and ".join(label for label in ("early", "late") if label in texts) or "nothing"
    figure(f"store with {case['name']}: {kept} found, {len(aside)} file(s) kept aside, new text stored and found")
