"""Notes join hooks and servers; a live server is one whose process holds its mark."""

import os
import subprocess
import sys
from pathlib import Path

from context_mode_runtime import notes, paths

SERVER = """
import sys
from context_mode_runtime import notes
mark = notes.mark_server('one', sys.argv[1] or None)
print(mark, flush=True)
sys.stdin.read()
"""


def start_server(project: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER, project], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    process.stdout.readline()
    return process


def test_a_call_note_comes_back_by_the_hosts_id() -> None:
    notes.note_call("one", "call/../1", notes.CallNote("c1", "s1", "/p"))
    note = notes.call_note("one", "call/../1")
    assert note
    assert (note.conversation, note.subagent, note.folder) == ("c1", "s1", "/p")
    assert notes.call_note("one", "other") is None
    assert notes.call_note("two", "call/../1") is None


def test_notes_are_private(home: Path) -> None:
    notes.note_call("one", "x", notes.CallNote("c", "", "/p"))
    for folder, _, files in os.walk(home / ".context-mode"):
        assert os.stat(folder).st_mode & 0o777 == paths.PRIVATE_FOLDER
        assert all(os.stat(os.path.join(folder, name)).st_mode & 0o777 == paths.PRIVATE_FILE for name in files)


def test_the_first_folder_of_a_conversation_stays() -> None:
    notes.note_conversation("one", "c", "/first")
    notes.note_conversation("one", "c", "/second")
    assert notes.conversation_folder("one", "c") == "/first"
    assert notes.conversation_folder("one", "unknown") is None


def test_a_match_that_fits_two_callers_names_none() -> None:
    notes.note_match("one", 7, "t", {"a": 1, "b": 2}, notes.CallNote("c1", "", "/p"))
    note = notes.match_note("one", 7, "t", {"b": 2, "a": 1})
    assert note
    assert note.conversation == "c1"
    notes.note_match("one", 7, "t", {"a": 1, "b": 2}, notes.CallNote("c2", "", "/p"))
    assert notes.match_note("one", 7, "t", {"a": 1, "b": 2}) is None


def test_a_server_is_live_for_its_agent_and_project_until_it_is_killed() -> None:
    process = start_server("/p")
    try:
        assert notes.live_server("one", "/p")
        assert not notes.live_server("one", "/other")
        assert not notes.live_server("two", "/p")
    finally:
        process.kill()
        process.communicate()
    assert not notes.live_server("one", "/p")
    assert os.listdir(os.path.join(paths.run_dir(), "servers")) == []


def test_a_server_that_nobody_named_serves_any_agent() -> None:
    handle = notes.mark_server("", "/p")
    assert notes.live_server("one", "/p")
    assert not notes.live_server("one", "/other")
    os.close(handle)


def test_a_server_that_does_not_know_its_project_serves_any() -> None:
    process = start_server("")
    try:
        assert notes.live_server("one", "/p")
    finally:
        process.kill()
        process.communicate()


def test_old_notes_are_swept() -> None:
    notes.note_call("one", "x", notes.CallNote("c", "", "/p"))
    folder = os.path.join(paths.run_dir(), "calls", "one")
    for name in os.listdir(folder):
        os.utime(os.path.join(folder, name), (1, 1))
    notes.sweep(folder, 60)
    assert os.listdir(folder) == []
