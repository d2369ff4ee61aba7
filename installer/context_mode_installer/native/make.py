"""The files of a host's native package, from its spec: nothing of this machine is in them."""

from __future__ import annotations

import importlib.metadata
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import context_mode_runtime
from context_mode_installer import launchers
from context_mode_installer.native.starters import starters
from context_mode_installer.origin import DISTRIBUTION
from context_mode_installer.places import fill, fill_text
from context_mode_installer.skilltexts import SKILLS, skill_text
from context_mode_installer.specs.catalog import user_tables
from context_mode_installer.specs.where import holes
from context_mode_installer.templates import read_template
from context_mode_runtime import resources
from context_mode_runtime.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from context_mode_installer.specs.model import AgentSpec, HostEvent, Native, NativeFile, Surface

MARK = "context-mode.json"
"""Beside the package's other files: whose it is, its version, all files of DIR."""
PROGRAM, PLAIN = 0o755, 0o644


class Item(NamedTuple):
    """One file: its path in DIR, its bytes, its mode."""

    path: str
    data: bytes
    mode: int = PLAIN


def package_files(spec: AgentSpec, native: Native) -> list[Item]:
    """All files of DIR, sorted by path; the same bytes wherever they are made."""
    base = f"{native.folder}/" if native.folder else ""
    items = [Item(base + one.path, one.data, one.mode) for one in _common(spec, native)]
    items += [Item(file.path, _text(spec, native, file).encode()) for file in native.files]
    mark = {"agent": spec.id, "version": VERSION, "files": sorted([*(one.path for one in items), base + MARK])}
    items.append(Item(base + MARK, (json.dumps(mark, indent=1) + "\n").encode()))
    return sorted(items)


def _common(spec: AgentSpec, native: Native) -> Iterator[Item]:
    """What every package has: starters, the runtime, the licence, the skills."""
    for name, text in starters(spec.id).items():
        yield Item(f"bin/{name}", text.encode(), PROGRAM)
    yield from (Item(f"runtime/context_mode_runtime/{name}", data) for name, data in _runtime(spec))
    yield Item("LICENSE", _licence())
    for name in SKILLS if native.skills else ():
        text = skill_text(name, native.tool_name, native.skill_call, spec.server.load_hint)
        yield Item(f"{native.skills}/{name}/SKILL.md", text.encode())


def _runtime(spec: AgentSpec) -> Iterator[tuple[str, bytes]]:
    root = Path(context_mode_runtime.__file__).parent
    for file in root.rglob("*.py"):
        yield file.relative_to(root).as_posix(), file.read_bytes()
    for agent in (spec.id, *(caller.agent for caller in spec.callers)):
        table = _table(agent)
        if table is not None:
            yield f"_generated/{agent}.json", table
    yield "_data/policy/policy.json", Path(resources.shipped("policy"), "policy.json").read_bytes()


def _table(agent: str) -> bytes | None:
    """The compiled table: that of the user's own spec, else the shipped one."""
    own = {file.stem: text for file, text in user_tables().items()}
    if agent in own:
        return own[agent].encode()
    file = Path(resources.generated(), f"{agent}.json")
    return file.read_bytes() if file.is_file() else None


def _licence() -> bytes:
    """From the checkout, or from where the installer put it."""
    checkout = Path(context_mode_runtime.__file__).parents[2]
    if (checkout / "pyproject.toml").is_file():
        return (checkout / "LICENSE").read_bytes()
    return (importlib.metadata.distribution(DISTRIBUTION).read_text("licenses/LICENSE") or "").encode()


def _text(spec: AgentSpec, native: Native, file: NativeFile) -> str:
    text = read_template(file.template or "") if file.text is None else file.text
    said: dict[str, str] = {
        "version": VERSION, "token": native.token or ".", "hook": program(native, launchers.HOOK),
        "serve": program(native, launchers.SERVE),
    }  # fmt: skip
    if spec.bridge is not None:
        said["limit_ms"] = str(spec.bridge.timeout_ms)
    if "{hooks}" in text:
        said["hooks"] = _json(hooks(spec, native))
    if "{mcp}" in text:
        said["mcp"] = _json(mcp_entry(spec, native))
    return fill_text(text, said)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)


def program(native: Native, name: str) -> str:
    """A starter as the package's own files name it."""
    return f"{native.token or '.'}/bin/{name}"


def mcp_entry(spec: AgentSpec, native: Native) -> Any:  # noqa: ANN401 - any JSON
    """The value of the user's MCP entry with the package's starter as its program."""
    for edit in spec.edits_in("user"):
        if edit.kind == "key" and "serve" in holes(edit.value) and holds_unprobed(edit.only):
            return fill(edit.value, {"serve": program(native, launchers.SERVE)})
    raise ValueError(f"{spec.id} has no MCP entry for the user")


def hooks(spec: AgentSpec, native: Native) -> Any:  # noqa: ANN401 - any JSON
    """What stands under `list_at` of the first surface: groups by event, or one list of all."""
    surface = spec.hooks[0]
    groups = [(one.name, group(spec, native, surface, one)) for one in _events(spec, surface)]
    if "{event}" not in surface.list_at[-1]:
        return [one for _, one in groups]
    return {name: [one] for name, one in groups}


def declared(spec: AgentSpec) -> list[str]:
    """The host events that a package declares hooks for; none for a host with a bridge."""
    return [one.name for surface in spec.hooks[:1] for one in _events(spec, surface)]


def _events(spec: AgentSpec, surface: Surface) -> list[HostEvent]:
    return [
        host
        for event in spec.events
        for host in event.hosts
        if host.surface in (None, surface.surface) and holds_unprobed(host.only)
    ]


def holds_unprobed(only: Any) -> bool:  # noqa: ANN401 - Only or None
    """Whether an entry belongs into a package, which knows no version and no platform."""
    return only is None or only.unprobed or (only.since is None and only.until is None)


def group(spec: AgentSpec, native: Native, surface: Surface, event: HostEvent) -> Any:  # noqa: ANN401 - any JSON
    """The entry of one event, with the package's starter as its program."""
    path = program(native, launchers.HOOK)
    arguments = [spec.id, event.name]
    line = " ".join([f'"{path}"', *arguments])
    windows = " ".join([f'"{path}.cmd"', *arguments])
    said = {
        "event": event.name, "matcher": event.matcher, "timeout": event.timeout, "program": path,
        "arguments": arguments, "command": line,
        "command_windows": f"& {windows}" if surface.command.windows == "powershell" else windows,
    }  # fmt: skip
    return fill(surface.group, said)
