from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests import only

from context_mode_runtime.fetch import document
from context_mode_runtime.fetch.folder import DocumentError, read_document

FILES: list[tuple[str, bytes, str, str]] = [
    ("a.md", b"# T\n", "# T\n", "markdown"),
    ("a.py", b"import os\r\n", "import os\r\n", "code"),
    ("a.json", b'{"a": 1}', '{"a": 1}', "json"),
    ("a.log", b"x\n", "x\n", "log"),
    ("a.txt", b"ok\nerr caf\xe9\nend\n", "ok\nerr caf\ufffd\nend\n", "text"),
    ("a.txt", "wïde\n".encode("utf-16"), "wïde\n", "text"),
    ("a.txt", b"\xfe\xff\0w\0i", "wi", "text"),
    ("a.txt", "wide".encode("utf-32"), "wide", "text"),
    ("a.txt", b"\xef\xbb\xbfmarked", "marked", "text"),
    ("script", b"#!/bin/sh\n", "#!/bin/sh\n", "code"),
    ("page.html", b"<p>Just a part of a page", "Just a part of a page\n", "markdown"),
    ("page", b"<!doctype html><h1>No name</h1>", "# No name\n", "markdown"),
    ("icon.svg", b"<svg><title>x</title></svg>", "<svg><title>x</title></svg>", "text"),
    ("empty", b"", "", "text"),
    ("colours.txt", b"\x1b[31mred\x1b[0m\n", "\x1b[31mred\x1b[0m\n", "text"),
]


@pytest.mark.parametrize(("name", "data", "text", "kind"), FILES)
def test_a_file_comes_as_text(tmp_path: Path, name: str, data: bytes, text: str, kind: str) -> None:
    (tmp_path / name).write_bytes(data)
    found = read_document(str(tmp_path / name))
    told = (found.text, found.kind, found.mark[0], found.path, found.note)
    assert told == (text, kind, len(data), str(tmp_path.resolve() / name), "")


def refusal(path: object) -> str:
    with pytest.raises(DocumentError) as caught:
        read_document(str(path))
    return str(caught.value)


def test_what_is_no_text_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "p.png").write_bytes(b"\x89PNG\r\n\x1a\n\0")
    (tmp_path / "gone").symlink_to("missing")
    assert refusal(tmp_path) == f"{tmp_path} is a folder"
    assert refusal(tmp_path / "none") == f"{tmp_path}/none: no such file or directory"
    assert refusal(tmp_path / "gone") == f"{tmp_path}/gone: no such file or directory"
    assert refusal(tmp_path / "p.png") == f"{tmp_path}/p.png is a PNG image (9 B), not text"
    assert refusal(tmp_path / "p.png" / "x") == f"{tmp_path}/p.png/x: not a directory"
    assert refusal("a\0b") == "'a\\x00b' is no path"


@only.POSIX
def test_a_pipe_does_not_make_it_wait(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert refusal(tmp_path / "pipe") == f"{tmp_path}/pipe is no plain file"


def test_an_endless_device_is_not_read() -> None:
    assert refusal("/dev/zero") == "/dev/zero is no plain file"


def test_a_huge_file_is_named(tmp_path: Path) -> None:
    with (tmp_path / "huge.txt").open("wb") as file:
        file.truncate(64 * 1024 * 1024 + 1)
    assert refusal(tmp_path / "huge.txt") == f"{tmp_path}/huge.txt is over 67,108,864 B; index a part of it"


def test_the_judge_sees_the_file_that_was_opened(tmp_path: Path) -> None:
    (tmp_path / "secret.env").write_text("KEY=1")
    (tmp_path / "harmless.txt").symlink_to("secret.env")
    asked: list[str] = []

    def judge(real: str) -> str | None:
        asked.append(real)
        return "denied by rule Read(*.env)" if real.endswith(".env") else None

    with pytest.raises(DocumentError, match=r"^denied by rule Read\(\*\.env\)$"):
        read_document(str(tmp_path / "harmless.txt"), judge=judge)
    assert asked == [str(tmp_path.resolve() / "secret.env")]


def test_a_link_that_moves_after_the_judgement_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "fine.txt").write_text("fine")
    (tmp_path / "secret.txt").write_text("secret")
    link = tmp_path / "link.txt"
    link.symlink_to("fine.txt")

    def judge(_real: str) -> str | None:
        link.unlink()
        link.symlink_to("secret.txt")
        return None

    assert read_document(str(link), judge=judge).text == "fine"


def test_a_file_that_went_away_meanwhile_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(name)
    for place in ("b.txt", "gone.txt"):
        monkeypatch.setattr(document, "_path_of", lambda _handle, place=place: str(tmp_path / place))
        assert refusal(tmp_path / "a.txt") == f"{tmp_path}/a.txt changed while it was opened; try again"


def test_a_system_without_an_answer_resolves_the_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text("a")
    (tmp_path / "link").symlink_to("a.txt")
    monkeypatch.setattr(document, "_path_of", lambda _handle: "")
    assert read_document(str(tmp_path / "link")).path == str(tmp_path.resolve() / "a.txt")


@only.LINUX
def test_no_descriptor_stays_open(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for path in (tmp_path, tmp_path / "none", "/dev/zero"):
        refusal(path)
    assert len(os.listdir("/proc/self/fd")) == before
