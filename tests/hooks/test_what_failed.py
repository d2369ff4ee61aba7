"""The state block names what failed: a real test run, as two hosts hand it over, whole and shortened by the seat."""

import os
import subprocess
import sys

import pytest

from context_mode_runtime.excerpt import short_reply

from .conftest import Caller
from .test_turns import text_of

TESTS = """
import pytest

@pytest.mark.parametrize("n", range(150))
def test_that_passes(n):
    print("line", n)

def test_login_of_a_user():
    got = {"status": 500, "body": "no session"}
    assert got["status"] == 200

@pytest.mark.parametrize("total", [1, 2])
def test_cart(total):
    assert total == 7731
"""
COMMAND = (
    "cd shop && python -m pytest -v tests/test_shop.py --maxfail=50 -p no:cacheprovider --durations=5 && echo done"
)
NAMED = "FAILED test_shop.py::test_login_of_a_user - assert 500 == 200; FAILED test_shop.py::test_cart[1] - assert 1"


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("shop")
    (folder / "test_shop.py").write_text(TESTS, encoding="utf-8")
    words = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", "-p", "no:randomly", "test_shop.py"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "COV"))}
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


def shortened(text: str) -> str:
    return short_reply("stored whole · 16,000 B as s1", text, pointer='ctx_search({"source": "s1"})', failed=True)


@pytest.mark.parametrize("by_seat", [False, True], ids=["whole", "by the seat"])
@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_the_state_block_names_the_tests_that_failed(agent: str, by_seat: bool, call: Caller, printed: str) -> None:
    output = shortened(printed) if by_seat else printed
    if agent == "claude-code":
        changes = {"tool_input": {"command": COMMAND}, "error": f"Exit code 1\n{output}"}
        call(agent, "PostToolUseFailure", "PostToolUseFailure-Bash", changes)
    else:
        call(agent, "PostToolUse", "PostToolUse-Bash", {"tool_input": {"command": COMMAND}, "tool_response": output})
    call(agent, "PreCompact", "PreCompact-auto")
    block = text_of(agent, "SessionStart", call(agent, "SessionStart", "SessionStart-compact"))
    [line] = [one for one in block.splitlines() if one.startswith("failing")]
    assert line.startswith(f"failing #1: {COMMAND[:80]} ...: {NAMED}")
    assert line.endswith("... ctx_resume(1)")
    assert len(line.encode()) <= 300


def test_of_a_very_long_error_the_end_is_kept(call: Caller) -> None:
    error = "Exit code 1\n" + "ok\n" * 20_000 + "FAILED test_a.py::test_a - assert 1 == 2\n"
    call("claude-code", "PostToolUseFailure", "PostToolUseFailure-Bash", {"error": error})
    call("claude-code", "PreCompact", "PreCompact-auto")
    block = text_of("claude-code", "SessionStart", call("claude-code", "SessionStart", "SessionStart-compact"))
    assert "failing #1: echo bad; exit 3: FAILED test_a.py::test_a - assert 1 == 2" in block
