"""What a scan gives: segments (simple commands as written), and the frames it keeps while it reads."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from context_mode_runtime.shell.words import Part, Word

GROUP_MAX = 16
"""Commands of a group or substitution whose output is worked out."""
OUTPUT = frozenset((">", ">>", ">|", "&>", "&>>"))
"""Operators that write a file."""
RAW_MAX = 4_096
"""Longest segment whose text as written is kept: nesting would be quadratic otherwise. Its words always are."""


class Redirect:
    """One redirection: file descriptor (`""` when not written), operator, target."""

    __slots__ = ("fd", "operator", "target")

    def __init__(self, fd: str, operator: str, target: Word) -> None:
        self.fd = fd
        self.operator = operator
        self.target = target


class Heredoc:
    """One here-document and its body, tabs taken off where `<<-` asks for it."""

    __slots__ = ("body", "delimiter", "quoted", "strip")

    def __init__(self, delimiter: str, *, quoted: bool, strip: bool) -> None:
        self.delimiter = delimiter
        self.quoted = quoted
        self.strip = strip
        self.body = ""


class Group:
    """Commands that stand together: a group, a loop, a condition, a function's body.

    `outer` is the group around it, `name` and `params` those of the function whose body it is, `body` the body of the
    function it stands in; `source[start:end]` are its segments, `fed_by` what is piped into it, `tail` the segment that
    holds its redirections.
    """

    __slots__ = ("body", "end", "fed_by", "name", "outer", "params", "source", "start", "tail")

    def __init__(self, outer: Group | None, source: list[Segment], name: str, fed_by: Segment | Group | None) -> None:
        self.outer = outer
        self.source = source
        self.name = name
        self.params: list[str] = []
        self.body: Group | None = self if name else outer.body if outer else None
        self.start = self.end = len(source)
        self.fed_by = None if name else fed_by
        self.tail: Segment | None = None

    def close(self, tail: Segment) -> None:
        """Its last command has been read; redirections that follow go to `tail`."""
        self.end = len(self.source)
        self.tail = tail
        tail.group = self

    def segments(self) -> list[Segment]:
        """Its commands without those of substitutions in them; none when they are many."""
        if self.end - self.start > GROUP_MAX:
            return []
        found = self.source[self.start : self.end]
        return [segment for segment in found if segment.parent not in found]


class Segment:
    """One simple command as written.

    `assigns` are leading assignments (and the values of a `for`), `parent` is the segment whose word holds this one
    as a substitution, `capture` says where its output goes then (`assign`, `arg`, `proc`) or is empty.
    `piped_from` is what its input comes from, a whole group where one stands before the `|`; `pipe_next` is the next
    segment of its pipeline, `follow` the operator behind it, `group_out` `pipe` or `file` when a
    group around it is piped on or redirected, `inside` the group it stands in, `group` the one whose redirections it
    holds.
    """

    __slots__ = (
        "assigns",
        "capture",
        "end",
        "follow",
        "group",
        "group_out",
        "heredocs",
        "inside",
        "parent",
        "pipe_next",
        "piped",
        "piped_from",
        "redirects",
        "source",
        "start",
        "words",
    )

    def __init__(self, source: str, parent: Segment | None, capture: str, inside: Group | None = None) -> None:
        self.source = source
        self.start = -1
        self.end = -1
        self.words: list[Word] = []
        self.redirects: Sequence[Redirect] = ()
        self.assigns: Sequence[tuple[str, Word | list[Word]]] = ()
        self.heredocs: Sequence[Heredoc] = ()
        self.parent = parent
        self.capture = capture
        self.inside = inside
        self.group: Group | None = None
        self.group_out = ""
        self.follow = ""
        self.piped = False
        self.piped_from: Segment | Group | None = None
        self.pipe_next: Segment | None = None

    @property
    def raw(self) -> str:
        """The text as written, or empty when it is longer than RAW_MAX."""
        if self.start < 0 or self.end - self.start > RAW_MAX:
            return ""
        return self.source[self.start : self.end]

    def add_redirect(self, item: Redirect) -> None:
        """Adds a redirection."""
        if isinstance(self.redirects, list):
            self.redirects.append(item)
        else:
            self.redirects = [item]

    def add_assign(self, name: str, value: Word | list[Word]) -> None:
        """Adds a variable and its value, or an array's values."""
        if isinstance(self.assigns, list):
            self.assigns.append((name, value))
        else:
            self.assigns = [(name, value)]

    def add_heredoc(self, document: Heredoc) -> None:
        """Adds a here-document."""
        if isinstance(self.heredocs, list):
            self.heredocs.append(document)
        else:
            self.heredocs = [document]

    def empty(self) -> bool:
        """Nothing in it yet."""
        return not (self.words or self.redirects or self.assigns)


def own(segments: list[Segment], start: int, parent: Segment) -> tuple[Segment, ...] | None:
    """The commands of a substitution in a word of `parent`, which begin at `start`; None when they are many."""
    if len(segments) - start > GROUP_MAX:
        return None
    return tuple([segment for segment in segments[start:] if segment.parent is parent])


class Scan:
    """The segments of a text in the order they end in it, inner ones first; `incomplete` when it isn't whole."""

    __slots__ = ("incomplete", "segments")

    def __init__(self) -> None:
        self.segments: list[Segment] = []
        self.incomplete = False


DEPTH_MAX = 400
"""Deeper nesting is not read: what is left of the text counts as incomplete."""
LIST, QUOTE, PARAM, ARITH = 0, 1, 2, 3
"""Kinds of frame: commands, `"..."`, `${...}`, `$((...))`."""


class Frame:
    """One open bracket or quote. A LIST frame builds segments; the others add parts to the word of the LIST below."""

    __slots__ = (
        "array",
        "cases",
        "closer",
        "depth",
        "expect",
        "fd",
        "first",
        "function",
        "groups",
        "inside",
        "kind",
        "last_group",
        "list",
        "mark",
        "mode",
        "name",
        "parts",
        "pending",
        "pipe_from",
        "role",
        "segment",
        "start",
        "word_start",
    )

    def __init__(self, kind: int, start: int, parts: list[Part], segment: Segment, mark: int) -> None:
        self.kind = kind
        self.start = start
        self.parts = parts
        self.segment = segment
        self.mark = mark
        self.closer = ""
        self.role = ""
        self.depth = 0
        self.word_start = -1
        self.mode = "command"
        self.name = ""
        self.array: list[Word] | None = None
        self.cases = 0
        self.first = False
        self.expect = ""
        self.fd = ""
        self.groups: list[Group] | None = None
        self.inside = segment.inside
        self.function = ""
        self.pending: Sequence[tuple[Segment, Heredoc]] = ()
        self.pipe_from: Segment | Group | None = None
        self.last_group: Group | None = None
        self.list: Frame = self

    def open_group(self, segments: list[Segment]) -> Group:
        """A group of commands begins; `segments` are those before it."""
        group = Group(self.inside, segments, self.function, self.pipe_from)
        if self.function:
            self.function, self.pipe_from = "", None
        self.inside = self.segment.inside = group
        if self.groups is None:
            self.groups = [group]
        else:
            self.groups.append(group)
        return group

    def close_group(self) -> None:
        """The group that was opened last ends."""
        if self.groups:
            group = self.groups.pop()
            self.inside = self.segment.inside = group.outer
            group.close(self.segment)
            self.last_group = group
