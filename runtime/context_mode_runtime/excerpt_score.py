"""How much each unit of a scanned text matters."""

from __future__ import annotations

from array import array
from math import log

from context_mode_runtime.excerpt_signals import ERROR, FADES, FLOORS, NAME, RECORD, SUMMARY, WEIGHTS, is_well

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.excerpt_scan import Scan

ANSWER = 120.0
"""Points of a unit that holds all words of the intent that occur in the text."""
_FAILED_BONUS = 40.0
_SAME_ERROR = 30.0
"""What an error line right behind another one counts less: it belongs to the same error."""
_SAME_ANSWERS = 6
"""Lines of one shape with the same words of the intent; further ones are worth _AGAIN of them."""
_AGAIN = 0.45
_SIGNAL = 45.0
"""Points from which on a unit is shown whatever was asked, as long as there is room for such units."""
_RARE = 58.0
"""Points of the one line that is unlike thousands of others."""
_RARE_LINES = 24
"""With more rare lines than this, each counts less."""
_ALIKE = 20
"""A shape seen this often is one of a log's common ones; a summary is not seen that often."""
_COMMON_SHAPES = 4
_MANY = 60
"""A shape seen this often has values to compare; so many rows stand for each further value of a column."""
_VALUES_MAX = 60_000
"""With more units than this, values are not compared: it would take too long."""
_COLUMNS = 20
_RARE_VALUES = 2
_AFTER = (0.75, 0.7, 0.65, 0.6, 0.5, 0.4)
_AFTER_NAME = (*_AFTER, *(0.3,) * 26)
"""What a report tells of what failed stands below its name: values, and where it happened."""
_BEFORE = (0.6, 0.5, 0.4)
TELLING = 60.0
"""Points from which on a unit says something by itself, and lends some to its neighbours."""
_LENT_MAX = TELLING - 0.1
_BLANK = 3
_HEAD = (30.0, 20.0, 14.0)
_TAIL = (44.0, 34.0, 30.0, 24.0, 18.0, 14.0)
_NOISE = 0.12
"""Units with less than this part of the best one's points say nothing."""
_QUIET = 0.6
"""What failures and odd lines count when the intent has a clear answer and nothing failed."""


def scores(scan: Scan, *, failed: bool) -> array[float]:
    """Points for each unit, 0 for one that says nothing by itself."""
    points = array("d", bytes(8 * scan.count))
    answered = _score_intent(scan, points)
    failed = failed or scan.asks_failures
    _score_kinds(scan, points, failed=failed, factor=_QUIET if answered and not failed else 1.0)
    _score_rare(scan, points, _QUIET if answered else 1.0)
    _score_values(scan, points, _QUIET if answered else 1.0)
    _score_records(scan, points)
    _score_subjects(scan, points)
    _score_ends(scan, points)
    _spread(scan, points)
    least = max(points) * _NOISE
    return array("d", (worth if worth >= least else 0.0 for worth in points))


def signals(scan: Scan, *, failed: bool) -> list[int]:
    """Units that matter whatever was asked: failures, and what is unlike thousands of others; the best first."""
    points = array("d", bytes(8 * scan.count))
    _score_kinds(scan, points, failed=failed, factor=1.0)
    _score_rare(scan, points, 1.0)
    _score_values(scan, points, 1.0)
    found = [unit for unit in range(scan.count) if points[unit] >= _SIGNAL]
    return sorted(found, key=lambda unit: -points[unit])


def _score_intent(scan: Scan, points: array[float]) -> bool:
    """Words weigh by their rarity in this text, squared. True when some unit clearly answers."""
    weights = []
    for bit in range(len(scan.words)):
        count = sum(1 for hit in scan.hits if hit >> bit & 1)
        weights.append(log((scan.count + 1) / (count + 0.5)) ** 2 if count else 0.0)
    whole = sum(weights)
    if whole <= 0:
        return False
    clear = min(1.0, max(weights) ** 0.5 / max(log(scan.count + 1) * 0.5, 1.0))
    worth: dict[int, float] = {}
    told: dict[tuple[int, int], int] = {}
    for unit, hit in enumerate(scan.hits):
        if hit:
            if hit not in worth:
                worth[hit] = ANSWER * clear * sum(w for bit, w in enumerate(weights) if hit >> bit & 1) / whole
            nth = told[hit, scan.shapes[unit]] = told.get((hit, scan.shapes[unit]), 0) + 1
            points[unit] = worth[hit] * (1.0 if nth <= _SAME_ANSWERS or not scan.shapes[unit] else _AGAIN)
    return max(worth.values()) >= TELLING


def _score_kinds(scan: Scan, points: array[float], *, failed: bool, factor: float) -> None:
    told: dict[tuple[int, int], int] = {}
    echoes = _echoes(scan)
    marked = [unit for unit in range(scan.count) if scan.kinds[unit] and unit not in echoes]
    for unit in marked:
        if scan.kinds[unit] != SUMMARY:
            _raise(points, unit, _worth(scan, unit, told, failed=failed, factor=factor))
    for unit in reversed(marked):
        if scan.kinds[unit] == SUMMARY:
            _raise(points, unit, _worth(scan, unit, told, failed=failed, factor=1.0))


def _echoes(scan: Scan) -> set[int]:
    """Units that say of an error what many have said, letter by letter, all but the first: a member of each record."""
    said: dict[str, list[int]] = {}
    for unit, kind in enumerate(scan.kinds):
        if kind == ERROR and scan.seen[scan.shapes[unit]] > _ALIKE:
            said.setdefault(scan.unit(unit), []).append(unit)
    return {unit for units in said.values() if len(units) > _ALIKE for unit in units[1:]}


def _worth(scan: Scan, unit: int, told: dict[tuple[int, int], int], *, failed: bool, factor: float) -> float:
    kind = scan.kinds[unit]
    key = (kind, 0 if kind == SUMMARY else scan.shapes[unit])
    nth = told[key] = told.get(key, -1) + 1
    worth = max(WEIGHTS[kind] - FADES[kind] * nth, FLOORS[kind])
    if kind == RECORD and scan.words:
        return 0.0
    if kind == SUMMARY and scan.seen[scan.shapes[unit]] > _ALIKE:
        return worth / 3
    if failed and kind in (NAME, ERROR):
        again = kind == ERROR and unit > 0 and scan.kinds[unit - 1] == ERROR
        return worth + _FAILED_BONUS - _SAME_ERROR * again
    if failed and kind == SUMMARY and not nth:
        return worth + _FAILED_BONUS
    return worth * factor


def _raise(points: array[float], unit: int, worth: float) -> None:
    """The higher of two reasons counts, and a fifth of the lower one."""
    points[unit] = max(points[unit], worth) + min(points[unit], worth) / 5


def _score_rare(scan: Scan, points: array[float], factor: float) -> None:
    """Units of a shape seen up to three times, and those with words that stand nowhere else, in a text that repeats."""
    alike = sum(count for shape, count in scan.seen.items() if shape and count >= _ALIKE)
    share = alike / max(scan.count - scan.seen.get(0, 0), 1)
    rare = [unit for unit in range(scan.count) if scan.shapes[unit] and scan.seen[scan.shapes[unit]] <= 3]  # noqa: PLR2004
    if share > 0.3 and rare:  # noqa: PLR2004 - less is no log
        worth = _RARE * factor * min(1.0, _RARE_LINES / len(rare)) * min(1.0, share + 0.2)
        for unit in rare:
            points[unit] = max(points[unit], worth / scan.seen[scan.shapes[unit]])
    if scan.once and len(scan.once) * 20 < scan.count:
        scale = _RARE * factor * min(1.0, _RARE_LINES / len(scan.once))
        for unit, words in scan.once.items():
            points[unit] = max(points[unit], scale * min(1.0, 0.5 + words / 6))


def _score_values(scan: Scan, points: array[float], factor: float) -> None:
    """Lines of a common shape with a value that hardly any other has where the others have few: `rc=1` among `rc=0`."""
    if scan.odd is None:
        scan.odd = _odd_units(scan)
    for odd in scan.odd:
        worth = _RARE * factor * min(1.0, _RARE_LINES / len(odd))
        for unit in odd:
            points[unit] = max(points[unit], worth)


def _odd_units(scan: Scan) -> list[list[int]]:
    """For each common shape the units with an odd value."""
    if scan.count > _VALUES_MAX:
        return []
    common = sorted((shape for shape in scan.seen if shape), key=lambda shape: -scan.seen[shape])[:_COMMON_SHAPES]
    units: dict[int, list[int]] = {shape: [] for shape in common if scan.seen[shape] >= _MANY}
    for unit, shape in enumerate(scan.shapes):
        if shape in units:
            units[shape].append(unit)
    found = []
    for alike in units.values():
        odd = _odd_values([scan.unit(unit).split(None, _COLUMNS)[:_COLUMNS] for unit in alike])
        if odd:
            found.append([alike[place] for place in odd])
    return found


def _odd_values(rows: list[list[str]]) -> list[int]:
    """The rows with a value that at most two rows have, in a column of few values."""
    odd: set[int] = set()
    for column in range(_COLUMNS):
        counts: dict[str, int] = {}
        for row in rows:
            if column < len(row):
                counts[row[column]] = counts.get(row[column], 0) + 1
        rare = {value for value, count in counts.items() if count <= _RARE_VALUES}
        if rare and len(counts) * _MANY <= len(rows) + _MANY * _RARE_VALUES:
            odd.update(n for n, row in enumerate(rows) if column < len(row) and row[column] in rare)
    return sorted(odd)


def _score_records(scan: Scan, points: array[float]) -> None:
    """The small JSON object around a member that says something: a state is no answer without its name."""
    telling = [unit for unit in range(scan.count) if points[unit] >= _SIGNAL]
    for unit in sorted(telling, key=lambda unit: -points[unit])[:_SPREAD_MAX]:
        for near in _record(scan, unit):
            points[near] = max(points[near], min(points[unit] * _AFTER[0], _LENT_MAX))


def _score_subjects(scan: Scan, points: array[float]) -> None:
    """A commit's subject goes with its first line: the next indented one."""
    commits = [unit for unit, kind in enumerate(scan.kinds) if kind == RECORD and scan.unit(unit).startswith("commit ")]
    for unit in commits:
        for near in _written(scan, unit + 1, 1, _HEADERS):
            if scan.unit(near)[:1].isspace():
                points[near] = max(points[near], points[unit])
                break


_HEADERS = 8


def _record(scan: Scan, unit: int) -> list[int]:
    """The other members of the object that holds a member's line, and its braces; none of one that is too large.

    Of a member that is an object itself only the line that names it.
    """
    line = scan.unit(unit)
    inside = line[: len(line) - len(line.lstrip())]
    if not line[len(inside) :].startswith('"') or not inside:
        return []
    start, end = unit, unit
    while start and unit - start < _RECORD_LINES and scan.unit(start).startswith(inside):
        start -= 1
    while end < scan.count - 1 and end - unit < _RECORD_LINES and scan.unit(end).startswith(inside):
        end += 1
    if not (scan.unit(start).rstrip().endswith("{") and scan.unit(end).lstrip().startswith("}")):
        return []
    members = [one for one in range(start + 1, end) if scan.unit(one)[len(inside) :].startswith('"')]
    return [start, *members, end] if len(members) <= _MEMBERS else []


_RECORD_LINES = 100
_MEMBERS = 24


def _score_ends(scan: Scan, points: array[float]) -> None:
    for unit, worth in zip(_written(scan, 0, 1, len(_HEAD)), _HEAD, strict=False):
        points[unit] = max(points[unit], worth)
    for unit, worth in zip(_written(scan, scan.count - 1, -1, len(_TAIL)), _TAIL, strict=False):
        points[unit] = max(points[unit], worth)


def _written(scan: Scan, unit: int, step: int, count: int) -> list[int]:
    """The units among the next `count` from `unit` on, and a few more, that are not blank."""
    out = []
    for _ in range(count + _BLANK):
        if not 0 <= unit < scan.count:
            break
        if scan.unit(unit).strip():
            out.append(unit)
        unit += step
    return out


def _spread(scan: Scan, points: array[float]) -> None:
    """Neighbours of strong units get a part of their points, and so does the line they are indented under."""
    strong = [
        (unit, points[unit]) for unit in range(scan.count) if points[unit] >= TELLING and scan.kinds[unit] != SUMMARY
    ]
    strong = sorted(strong, key=lambda pair: -pair[1])[:_SPREAD_MAX]
    for unit, worth in strong:
        below = _AFTER_NAME if scan.kinds[unit] == NAME else _AFTER
        for step, parts in ((1, below), (-1, _BEFORE)):
            for near, part in zip(_written(scan, unit + step, step, len(parts)), parts, strict=False):
                lent = min(worth * part, _LENT_MAX)
                if points[near] < lent and not is_well(scan.unit(near)):
                    points[near] = lent
        parent = _parent(scan, unit)
        if parent is not None:
            points[parent] = max(points[parent], min(worth * _BEFORE[0], _LENT_MAX))


_SPREAD_MAX = 400
"""Strong units that lend: more would not fit into any reply."""
_PARENT_REACH = 60


def _parent(scan: Scan, unit: int) -> int | None:
    line = scan.unit(unit)
    indent = len(line) - len(line.lstrip())
    for above in range(unit - 1, max(unit - _PARENT_REACH, -1), -1):
        line = scan.unit(above)
        stripped = line.lstrip()
        if stripped and len(line) - len(stripped) < indent:
            return above
    return None
