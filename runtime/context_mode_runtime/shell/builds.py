"""Build commands whose output is long as a rule. Conservative: plain compilers and test runners are not here."""

from __future__ import annotations

from context_mode_runtime.shell.output import piped_or_filed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.shell.commands import Command

_ANY: tuple[str, ...] = ()
_BUILDS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("gradle", "gradlew", "mvn", "mvnw", "mvnd", "sbt", "sbtn", "ant", "mill"), _ANY),
    **dict.fromkeys(("bazel", "bazelisk", "buck", "buck2"), ("build", "test", "run", "coverage", "fetch")),
    **dict.fromkeys(("msbuild", "xcodebuild", "devenv"), _ANY),
}
"""Program to the sub-commands that count; none named: every one."""
_QUIET = frozenset(
    (
        "--version",
        "-version",
        "-v",
        "-V",
        "--help",
        "-h",
        "-help",
        "-?",
        "help",
        "version",
        "--status",
        "--stop",
        "-list",
    )
)


def builds(command: Command) -> bool:
    """`command` is a build whose output would come back whole."""
    if not command.words:
        return False
    wanted = _BUILDS.get(command.name.lower())
    if wanted is None or piped_or_filed(command):
        return False
    rest = command.words[1:]
    if rest and all(word in _QUIET for word in rest):
        return False
    return not wanted or any(word in wanted for word in rest)
