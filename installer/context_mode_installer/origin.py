"""How this installation came here, and so which command brings it up to date (PEP 376 INSTALLER, PEP 610 direct URL).

No address of ours stands here: what is newest knows the program that brought us.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import shlex
import site
import subprocess
import sys
from importlib.metadata import Distribution, PackageNotFoundError
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from context_mode_runtime.paths import tilde

DISTRIBUTION = "context-mode-py"
TO_STAY = (
    f"install it to stay: uv tool install {DISTRIBUTION}, or pipx install {DISTRIBUTION}; then: context-mode setup"
)
_ASK_SECONDS = 10
_GIT_SECONDS = 5
_INDEXED = ("pip", "uv", "pipx", "uv tool")


class Origin(NamedTuple):
    """`kind`: pip, uv, pipx, uv tool, cache (uvx, pipx run), checkout (editable), folder, git, archive, other, none.

    `steps` are the commands that bring a newer version, `advice` says what to do where we can't run any. `commit` is
    that of the checkout or of the repository, where one is known.
    """

    kind: str
    shown: str
    steps: tuple[tuple[str, ...], ...] = ()
    advice: str | None = None
    commit: str | None = None

    @property
    def command(self) -> str | None:
        """The steps as one line for a shell."""
        return " && ".join(map(shlex.join, self.steps)) or None

    @property
    def indexed(self) -> bool:
        """Whether a newer version would come from a package index."""
        return self.kind in _INDEXED


class Home(NamedTuple):
    """The environment that we are installed in: what pip recorded of us, the interpreter and its prefix."""

    distribution: Distribution | None
    python: str
    prefix: str


def this_home() -> Home:
    """The running one."""
    try:
        distribution = importlib.metadata.distribution(DISTRIBUTION)
    except PackageNotFoundError:
        distribution = None
    return Home(distribution, sys.executable, sys.prefix)


def find_origin(home: Home | None = None) -> Origin:
    """Looks at what the installers left behind. Runs git, for a checkout, and nothing else."""
    home = home or this_home()
    if home.distribution is None:
        advice = "it runs from a folder of files: bring that folder up to date"
        return Origin("none", "not installed by a package installer", advice=advice)
    direct = _direct_url(home.distribution)
    commit = _commit(direct)
    if in_cache(home.prefix):
        return Origin("cache", "a throw-away environment", advice=TO_STAY, commit=commit)
    name = os.path.basename(home.prefix)
    if os.path.isfile(os.path.join(home.prefix, "pipx_metadata.json")):
        return Origin("pipx", "pipx", (("pipx", "upgrade", name),), commit=commit)
    if os.path.isfile(os.path.join(home.prefix, "uv-receipt.toml")):
        anew = ["--reinstall"] if direct else []
        return Origin("uv tool", "uv tool", (("uv", "tool", "upgrade", *anew, DISTRIBUTION),), commit=commit)
    return _direct(home, direct, commit) if direct else _indexed(home)


def in_cache(prefix: str) -> bool:
    """Whether an environment lies below a folder that is marked as a cache: its tool may empty that any time.

    An environment may have such a mark itself: backups leave it out.
    """
    return any(Path(folder, "CACHEDIR.TAG").is_file() for folder in Path(prefix).parents)


def _direct_url(distribution: Distribution) -> dict[str, Any]:
    try:
        found = json.loads(distribution.read_text("direct_url.json") or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _installer(home: Home) -> str:
    text = home.distribution.read_text("INSTALLER") if home.distribution else None
    return (text or "").strip()


def _indexed(home: Home) -> Origin:
    installer = _installer(home)
    if installer not in ("pip", "uv"):
        shown = installer or "a program that did not leave its name"
        return Origin("other", shown, advice=f"installed by {shown}: upgrade {DISTRIBUTION} with that")
    return Origin(installer, installer, (_install(home, "--upgrade", DISTRIBUTION),))


def _install(home: Home, *words: str) -> tuple[str, ...]:
    """An install command for this interpreter by the program that brought us."""
    if _installer(home) == "uv":
        return ("uv", "pip", "install", "--python", home.python, *words)
    user = ["--user"] if _in_user_site(home) else []
    return (home.python, "-m", "pip", "install", *user, *words)


def _anew(home: Home) -> tuple[str, ...]:
    """The option that installs again what has the same version number."""
    return ("--reinstall-package", DISTRIBUTION) if _installer(home) == "uv" else ("--force-reinstall",)


def _in_user_site(home: Home) -> bool:
    place = str(home.distribution.locate_file("")) if home.distribution else ""
    return bool(site.ENABLE_USER_SITE) and os.path.realpath(place) == os.path.realpath(site.getusersitepackages())


def _direct(home: Home, direct: dict[str, Any], commit: str | None) -> Origin:
    url = str(direct.get("url", ""))
    if "vcs_info" in direct:
        revision = direct["vcs_info"].get("requested_revision")
        wanted = f"{DISTRIBUTION} @ {direct['vcs_info'].get('vcs', 'git')}+{url}" + (f"@{revision}" if revision else "")
        return Origin("git", url, (_install(home, "--upgrade", *_anew(home), wanted),), commit=commit)
    folder = _folder(url)
    if "dir_info" not in direct or not folder:
        shown = tilde(folder) if folder else url
        return Origin("archive", shown, advice=f"installed from the file {shown}: install a newer file the same way")
    editable = bool(direct["dir_info"].get("editable"))
    pull = [("git", "-C", folder, "pull", "--ff-only")] if _git(folder, "rev-parse", "@{upstream}") else []
    folder_anew = _anew(home) if _installer(home) == "uv" else ()  # pip always builds a folder again
    again = _install(home, "-e", folder) if editable else _install(home, "--upgrade", *folder_anew, folder)
    kind = "checkout" if editable else "folder"
    return Origin(kind, f"{kind} {tilde(folder)}", (*pull, again), commit=commit)


def _folder(url: str) -> str:
    parts = urlsplit(url)
    return os.path.normpath(unquote(parts.path)) if parts.scheme == "file" and parts.path else ""


def _commit(direct: dict[str, Any]) -> str | None:
    """Twelve digits of the commit that we were installed from; of an editable checkout the one it is at now."""
    if "vcs_info" in direct:
        return str(direct["vcs_info"].get("commit_id", ""))[:12] or None
    if direct.get("dir_info", {}).get("editable"):
        return _git(_folder(str(direct.get("url", ""))), "rev-parse", "--short=12", "HEAD")
    return None


def _git(folder: str, *words: str) -> str | None:
    """What git prints in the top folder of a checkout; None where there is none."""
    if not Path(folder, ".git").exists():
        return None
    try:
        done = subprocess.run(
            ["git", "-C", folder, *words], capture_output=True, text=True, timeout=_GIT_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None if done.returncode == 0 else None


def newest(origin: Origin, home: Home | None = None) -> str | None:
    """The newest version that the program which brought us knows; None where it can't be learnt. Uses the network."""
    home = home or this_home()
    if not origin.indexed:
        return None
    if origin.kind.startswith("uv"):
        listed = _asked(["uv", "pip", "list", "--outdated", "--format", "json", "--python", home.python])
        return _outdated(listed, home)
    words = ["-m", "pip", "index", "versions", DISTRIBUTION, "--disable-pip-version-check"]
    found = re.search(r"\(([0-9][^)\s]*)\)", _asked([home.python, *words]) or "")
    return found[1] if found else None


def _outdated(listed: str | None, home: Home) -> str | None:
    try:
        packages = json.loads(listed or "")
    except ValueError:
        return None
    found = [one.get("latest_version") for one in packages if one.get("name") == DISTRIBUTION]
    return found[0] if found else home.distribution.version if home.distribution else None


def _asked(argv: list[str]) -> str | None:
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=_ASK_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
