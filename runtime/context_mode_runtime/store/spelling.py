"""The nearest known word for one that no source holds, by bounded edit distance over the vocabulary."""

from __future__ import annotations

from context_mode_runtime.store.words import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
_CANDIDATES = 400
_WEIGHED = 5
_COUNTED = 100
_MIN = 3
_MAX = 60
_LONGER = (5, 12)
_SHARED = 3
_HOLDING = 6


def bound(word: str) -> int:
    """How many edits a word of this length may be away: 1 up to 5 letters, 2 up to 12, else 3."""
    return 1 + sum(len(word) > limit for limit in _LONGER)


def nearest(db: Connection, word: str, count: int = 1) -> list[str]:
    """Up to `count` known words within `bound(word)` edits, the nearest first, of equals the more frequent one."""
    if not _MIN <= len(word) <= _MAX:
        return []
    found = _one_edit(db, word)
    if len(found) < count and bound(word) > 1:
        found |= _by_trigrams(db, word)
    limit = bound(word)
    scored = sorted((distance(word, candidate, limit), candidate[:1] != word[:1], candidate) for candidate in found)
    best = [item for item in scored if item[0] <= limit][: count + _WEIGHED]
    counted = sorted((away, other, -_frequency(db, candidate), candidate) for away, other, candidate in best)
    return [item[3] for item in counted[:count]]


def _frequency(db: Connection, word: str) -> int:
    rows = db.execute("SELECT rowid FROM chunk_words WHERE chunk_words MATCH ? LIMIT ?", (quoted(word), _COUNTED))
    return len(rows.fetchall())


def holding(db: Connection, part: str) -> list[str]:
    """Known words that hold `part` (three letters or more), the shortest first."""
    grams = _grams(part)
    if not grams:
        return []
    match = " AND ".join(map(quoted, grams))
    rows = db.execute(
        "SELECT v.word FROM word_parts p JOIN vocabulary v ON v.id = p.rowid"
        " WHERE word_parts MATCH ? AND instr(v.word, ?) ORDER BY length(v.word), v.word LIMIT ?",
        (match, part, _HOLDING),
    )
    return [row[0] for row in rows]


def distance(left: str, right: str, limit: int) -> int:
    """Edits between two words, a swap of neighbours is one (optimal string alignment); over `limit`: limit + 1."""
    if abs(len(left) - len(right)) > limit:
        return limit + 1
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        before, last, row = row, before, [i]
        for j, b in enumerate(right, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
        if min(row) > limit:
            return limit + 1
    return row[-1]


def _one_edit(db: Connection, word: str) -> set[str]:
    edits: set[str] = set()
    for at in range(len(word) + 1):
        head, tail = word[:at], word[at:]
        edits.update(head + letter + tail for letter in _LETTERS)
        if tail:
            edits.add(head + tail[1:])
            edits.update(head + letter + tail[1:] for letter in _LETTERS)
        if len(tail) > 1:
            edits.add(head + tail[1] + tail[0] + tail[2:])
    edits.discard(word)
    marks = ",".join("?" * len(edits))
    return {row[0] for row in db.execute(f"SELECT word FROM vocabulary WHERE word IN ({marks})", tuple(edits))}


def _by_trigrams(db: Connection, word: str) -> set[str]:
    """Words of about this length that share a third of its trigrams: `parent` is no misspelt `payment`."""
    grams = _grams(word)
    limit = bound(word)
    rows = db.execute(
        "SELECT v.word FROM word_parts p JOIN vocabulary v ON v.id = p.rowid WHERE word_parts MATCH ?"
        " AND length(v.word) BETWEEN ? AND ?",
        (" OR ".join(map(quoted, grams)), len(word) - limit, len(word) + limit),
    )
    own = set(grams)
    shared = sorted((-len(own.intersection(_grams(row[0]))), row[0]) for row in rows)
    return {candidate for count, candidate in shared[:_CANDIDATES] if -count * _SHARED >= len(own)}


def _grams(word: str) -> list[str]:
    return list(dict.fromkeys(word[at : at + 3] for at in range(len(word) - 2)))
