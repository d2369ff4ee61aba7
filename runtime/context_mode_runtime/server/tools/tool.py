"""What a tool is made of."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from context_mode_runtime.server.call import Call

    Properties = dict[str, dict[str, object]]


class Tool:
    """One tool as `tools/list` shows it, and the function behind it."""

    __slots__ = ("annotations", "description", "handle", "name", "properties", "required", "strict", "when")

    def __init__(  # noqa: PLR0913 - the fields of one declaration, all by name
        self,
        *,
        name: str,
        description: str,
        when: str,
        properties: Properties,
        annotations: dict[str, object],
        handle: Callable[[Call], str],
        required: tuple[str, ...] = (),
        strict: bool = False,
    ) -> None:
        """`when` is the line of the server's instructions; a `strict` tool takes arguments of the exact type only."""
        self.name = name
        self.description = description
        self.when = when
        self.properties = properties
        self.annotations = annotations
        self.handle = handle
        self.required = required
        self.strict = strict

    def entry(self, hints: dict[str, object]) -> dict[str, object]:
        """The entry of `tools/list`; `hints` is the host's own `_meta`."""
        schema: dict[str, object] = {"type": "object", "properties": self.properties}
        if self.required:
            schema["required"] = list(self.required)
        schema["additionalProperties"] = False
        entry: dict[str, object] = {"name": self.name, "description": self.description, "inputSchema": schema}
        entry["annotations"] = self.annotations
        if hints:
            entry["_meta"] = hints
        return entry
