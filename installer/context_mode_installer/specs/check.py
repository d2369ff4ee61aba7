"""A spec file from end to end: read, grammar, cross-checks, model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .findings import Finding, Sheet
from .model import AgentSpec, make_model

if TYPE_CHECKING:
    from pathlib import Path

    from .load import Document


@dataclass(frozen=True)
class Checked:
    """A spec file that was looked at. `spec` and `document` are there when nothing was found."""

    path: Path
    findings: tuple[Finding, ...]
    document: Document | None
    spec: AgentSpec | None


class BadSpecError(Exception):
    """A spec with findings, one line each."""


def check_file(path: Path) -> Checked:
    """All that is wrong with the spec at `path`, in the order of its lines; the model when nothing is."""
    from .load import SpecError, load_file

    try:
        document = load_file(path)
    except SpecError as error:
        finding = Finding(str(path), *error.place, error.wrong, error.right)
        return Checked(path, (finding,), None, None)
    findings = check_document(document, path)
    if findings:
        return Checked(path, findings, None, None)
    return Checked(path, (), document, make_model(document.value))


def check_document(document: Document, path: Path) -> tuple[Finding, ...]:
    """The findings of a spec that was read from `path`. Cross-checks wait until the grammar is right."""
    from .crosscheck import check_names, check_templates
    from .eventcheck import check_events
    from .grammar import check_grammar
    from .nativecheck import check_native
    from .replycheck import check_replies
    from .seatcheck import check_seat
    from .toolcheck import check_tools

    sheet = Sheet(document)
    check_grammar(sheet)
    if not sheet.findings:
        for check in (check_names, check_templates, check_events, check_tools, check_native, check_seat):
            check(sheet, path)
    if not sheet.findings:
        check_replies(sheet, path)
    return tuple(sorted(set(sheet.findings)))


def load_spec(path: Path) -> AgentSpec:
    """The model of the spec at `path`. Raises BadSpecError with all findings."""
    checked = check_file(path)
    if checked.spec is None:
        raise BadSpecError("\n".join(str(finding) for finding in checked.findings))
    return checked.spec
