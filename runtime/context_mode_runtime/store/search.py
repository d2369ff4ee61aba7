"""Search over a project's sources: any text is a query, each word is corrected by itself, reasons for nothing told."""

from __future__ import annotations

import math

from context_mode_runtime.store import query as queries
from context_mode_runtime.store import rank, spelling, stale, vocabulary
from context_mode_runtime.store.chunks import HEADING_PART, PLAIN
from context_mode_runtime.store.db import mended
from context_mode_runtime.store.errors import StoreError, UnknownSourceError
from context_mode_runtime.store.query import Query, Term
from context_mode_runtime.store.snippet import snippet
from context_mode_runtime.store.sources import SHIFT, Source, find_source, id_range, list_sources, now_ms
from context_mode_runtime.store.words import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from sqlite3 import Connection

    from context_mode_runtime.store.db import Store
    from context_mode_runtime.store.snippet import Place

SCOPES = ("session", "worktree", "project")
_DEPTH = 40
_WEIGHTS = "8.0, 1.0, 0.4"
_RANKED = 16
_COMMON = 0.25
_COMMON_FROM = 2_000
_FAR_BEHIND = 0.6
_FEW = 3
_NEAR_WORDS = 3
_JOINED_MIN = 4
_USED_MS = 3_600_000


class Hit:
    """A chunk that answers: source id `sid`, `label`, place `n` (from 1), `heading`, `snippet`; `stale`: a note or "".

    `origin` is the path or URL that the source was read from, or None. For a source that is read in order `snippet` is
    the whole chunk.
    """

    __slots__ = ("heading", "label", "n", "origin", "sid", "snippet", "stale")

    def __init__(self, source: Source, n: int, heading: str, text: str, stale_note: str) -> None:
        self.sid = source.sid
        self.label = source.label
        self.origin = source.origin
        self.n = n
        self.heading = heading
        self.snippet = text
        self.stale = stale_note


class Nothing:
    """Why there is no hit; `text` says it to people.

    `kind`: `empty` (nothing is stored), `scope` (what is stored or matches lies outside the scope, `elsewhere` says
    how much), `no_match` (with `near` words), `no_source` (with `near` labels).
    """

    __slots__ = ("elsewhere", "kind", "near", "text")

    def __init__(self, kind: str, text: str, *, near: list[str] | None = None, elsewhere: int = 0) -> None:
        self.kind = kind
        self.text = text
        self.near = near or []
        self.elsewhere = elsewhere


class Found:
    """`hits`, or `nothing` with the reason; `fixed`: (word, what stood in for it); `next`: where to read on."""

    __slots__ = ("fixed", "hits", "next", "nothing")

    def __init__(self, hits: list[Hit], nothing: Nothing | None = None) -> None:
        self.hits = hits
        self.nothing = nothing
        self.fixed: list[tuple[str, str]] = []
        self.next: int | None = None


class Scope:
    """Which sources count: a condition on the sources table with its values, and the name of the scope."""

    __slots__ = ("name", "source", "values", "where")

    where: str
    values: tuple[object, ...]

    def __init__(self, name: str, conversation: str | None, worktree: str | None, source: Source | None = None) -> None:
        self.name = name if worktree is not None or name != "worktree" else "project"
        self.source = source
        self.where, self.values = {
            "session": ("id IN (SELECT source FROM readers WHERE conversation = ?)", (conversation,)),
            "worktree": ("(worktree = ? OR worktree IS NULL)", (worktree,)),
            "project": ("1", ()),
        }[self.name]


def search(  # noqa: PLR0913 - a query and where it looks
    store: Store,
    query: str,
    *,
    limit: int = 3,
    scope: str = "worktree",
    conversation: str | None = None,
    worktree: str | None = None,
    source: str | Source | None = None,
    offset: int | None = None,
) -> Found:
    """The best `limit` chunks for `query` in `scope` (one of SCOPES), or why there is none.

    Up to a `limit` of 3 those that answer much worse than the first are left out.

    `source` (itself, or its id, label or its beginning) looks in it alone, whatever the scope. With a `source`, a query
    without a word, and an `offset`, its chunks are read in order from that place on. A damaged index is rebuilt once.
    Raises StoreError; ValueError for another scope.
    """
    if scope not in SCOPES:
        raise ValueError(f"scope {scope!r} is none of {', '.join(SCOPES)}")
    try:
        one = source if isinstance(source, Source) else find_source(store, source) if source else None
    except UnknownSourceError as error:
        near = f"; near: {', '.join(error.near)}" if error.near else ""
        return Found([], Nothing("no_source", error.reason + near, near=error.near))
    where = Scope("project" if one else scope, conversation, worktree, one)
    parsed = Query(query)
    if one and (not parsed.terms or offset is not None):
        return read(store, one, offset or 1, limit)
    return mended(store, lambda: _search(store, parsed, where, limit))


def search_among(store: Store, query: str, numbers: list[int], limit: int) -> Found:
    """The best `limit` chunks for `query` in the sources with these numbers, or why there is none; StoreError."""
    scope = Scope("project", None, None)
    scope.where, scope.values = f"id IN ({','.join('?' * len(numbers))})", tuple(numbers)
    parsed = Query(query)
    return mended(store, lambda: _search(store, parsed, scope, limit))


def read(store: Store, source: Source, offset: int, limit: int) -> Found:
    """`limit` whole chunks of a source from place `offset` (1 is the first); `next` is where to go on."""
    first, last = id_range(source.id)
    with store.read() as db:
        rows = db.execute(
            "SELECT id, heading, text, line FROM chunks WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?",
            (min(first + max(offset, 1), last + 1), last, limit + 1),
        ).fetchall()
    note = stale.stale_note(store, source.id)
    hits = [
        Hit(source, number & (1 << SHIFT) - 1, heading or _lines(text, line), text, note)
        for number, heading, text, line in rows[:limit]
    ]
    if not hits:
        return Found([], Nothing("no_match", f"{source.sid} has {source.chunks} chunk(s), none from {offset} on"))
    found = Found(hits)
    found.next = hits[-1].n + 1 if len(rows) > limit else None
    _used(store, [source])
    return found


def _ready(store: Store, query: Query) -> None:
    """Before a query with an unknown word: trigrams for the words that came since the last one."""
    if store.read_only:
        return
    with store.read() as db:
        behind = vocabulary.is_behind(db) and not all(_count(db, term.fts) for term in query.terms)
    if behind:
        with store.write() as db:
            vocabulary.catch_up(db)


def _search(store: Store, query: Query, scope: Scope, limit: int) -> Found:
    _ready(store, query)
    with store.read() as db:
        count = db.execute("SELECT count(*) FROM sources").fetchone()[0]
        inside = db.execute(f"SELECT count(*) FROM sources WHERE {scope.where}", scope.values).fetchone()[0]
        fixed = _prepare(db, query) if inside else []
        ranked = _ranked(db, query, scope, limit, narrow=inside < count) if inside and query.terms else []
        ordered = _worth_showing(ranked, limit)
        if not ordered:
            return _nothing(db, query, scope, count, inside)
        known = {source.id: source for source in _sources(store, {item.id >> SHIFT for item in ordered})}
    notes = {number: stale.stale_note(store, number) for number in known}
    hits = []
    for item in ordered:
        source = known[item.id >> SHIFT]
        heading = item.heading or _lines(item.text, item.line)
        text = snippet(item.text, _body(item), item.passage, records=source.kind in PLAIN or not item.heading)
        hits.append(Hit(source, item.id & (1 << SHIFT) - 1, heading, text, notes[source.id]))
    found = Found(hits)
    found.fixed = fixed
    _used(store, known.values())
    return found


def _worth_showing(ranked: list[rank.Candidate], limit: int) -> list[rank.Candidate]:
    """The best `limit`; those far behind the best one only for a caller that asked for many."""
    least = _FAR_BEHIND * ranked[0].score if ranked and limit <= _FEW else 0.0
    return [item for item in ranked[:limit] if item.score >= least]


def _body(item: rank.Candidate) -> list[Place]:
    """Places of words below the heading line, which is shown anyway; all of them where there are none below."""
    first = item.text.find("\n") if item.text.startswith("#") else 0
    return [place for place in item.places if place[0] >= first] or item.places


def _prepare(db: Connection, query: Query) -> list[tuple[str, str]]:
    """Counts each term, corrects those that nothing holds, and weighs them by how rare they are."""
    query.total = total = db.execute("SELECT coalesce(sum(chunks), 0) FROM sources").fetchone()[0]
    fixed: list[tuple[str, str]] = []
    terms: list[Term] = []
    for term in query.terms:
        term.df = _count(db, term.fts)
        terms += [term] if term.df else _corrected(db, query, term, fixed)
    query.terms = terms
    for term in terms:
        rare = math.log(1 + (total - term.df + 0.5) / (term.df + 0.5)) if term.df else 0.5
        term.idf = rare * term.weight
    _join(db, query)
    return fixed


def _join(db: Connection, query: Query) -> None:
    """Neighbours that some text writes as one word (`file name`, `SHA-1`) are looked for by that word, too."""
    terms = {term.word: term for term in query.terms}
    for pair in query.neighbours:
        joined = "".join(pair)
        if len(joined) >= _JOINED_MIN and _count(db, quoted(joined)):
            query.joined.append(joined)
            for term in filter(None, map(terms.get, pair)):
                term.needles.append(queries.stem(joined))


def _count(db: Connection, match: str) -> int:
    return int(db.execute("SELECT count(*) FROM chunk_words WHERE chunk_words MATCH ?", (match,)).fetchone()[0])


def _corrected(db: Connection, query: Query, term: Term, fixed: list[tuple[str, str]]) -> list[Term]:
    """What stands for an unknown term: itself with the nearest words or those that hold it, else one term a part.

    A sentence of a script without spaces is one word to begin with; its parts are pairs of characters.
    """
    near = spelling.nearest(db, term.word)
    instead = near or spelling.holding(db, term.word)
    if instead:
        term.fts = "(" + " OR ".join(map(quoted, instead)) + ")"
        term.needles = [queries.stem(word) for word in instead]
        term.df = _count(db, term.fts)
        fixed += [(term.word, word) for word in near]
        return [term]
    known = {other.word for other in query.terms}
    parts = [queries.term_of(part) for part in queries.parts_of_term(query.text, term.word) if part not in known]
    for part in parts:
        part.df = _count(db, part.fts)
    return [part for part in parts if part.df] or [term]


def _ranked(db: Connection, query: Query, scope: Scope, limit: int = 0, *, narrow: bool) -> list[rank.Candidate]:
    terms = [term for term in query.terms if term.df]
    if not terms:
        return []
    lists = [_matches(db, " OR ".join(term.fts for term in _telling(terms, query.total)), scope, narrow=narrow)]
    if len(terms) > 1:
        lists.append(_matches(db, " AND ".join(term.fts for term in terms), scope, narrow=narrow))
    phrases = [quoted(words) for words in (*map(" ".join, query.phrases), *query.joined)]
    if phrases:
        lists.append(_matches(db, " OR ".join(phrases), scope, narrow=narrow))
    fused = rank.fuse(lists)
    best = sorted(fused, key=lambda number: (-fused[number], number))[: max(_RANKED, 2 * limit)]
    marks = ",".join("?" * len(best))
    rows = db.execute(
        f"SELECT c.id, heading, text, line, label FROM chunks c JOIN sources s ON s.id = c.id >> {SHIFT}"
        f" WHERE c.id IN ({marks})",
        best,
    )
    candidates = [rank.Candidate(row, fused[row[0]]) for row in rows]
    for item in candidates:
        item.columns = _columns(db, item)
    return rank.order(candidates, query)


def _columns(db: Connection, item: rank.Candidate) -> str:
    """All the columns of a wide table, of which the heading holds the first ones; empty for any other chunk."""
    if len(item.heading) < HEADING_PART or " > " in item.heading:
        return ""
    row = db.execute("SELECT text FROM chunks WHERE id = ?", ((item.id >> SHIFT << SHIFT) + 1,)).fetchone()
    columns = " ".join(row[0].strip().partition("\n")[0].split()) if row else ""
    return columns if columns.startswith(item.heading) else ""


def _telling(terms: list[Term], total: int) -> list[Term]:
    """Without the words that a quarter of a big store holds, where there are others."""
    rare = [term for term in terms if term.df <= max(total * _COMMON, _COMMON_FROM)]
    return rare or terms


def _matches(db: Connection, match: str, scope: Scope, *, narrow: bool) -> list[int]:
    """Chunk ids, best first by BM25."""
    where, values = "", tuple[object, ...]()
    if scope.source:
        where, values = " AND rowid BETWEEN ? AND ?", id_range(scope.source.id)
    elif narrow:
        where, values = f" AND (rowid >> {SHIFT}) IN (SELECT id FROM sources WHERE {scope.where})", scope.values
    rows = db.execute(
        f"SELECT rowid FROM chunk_words WHERE chunk_words MATCH ?{where}"
        f" ORDER BY bm25(chunk_words, {_WEIGHTS}), rowid LIMIT ?",
        (match, *values, _DEPTH),
    )
    return [row[0] for row in rows]


def _nothing(db: Connection, query: Query, scope: Scope, count: int, inside: int) -> Found:
    if not count:
        return Found([], Nothing("empty", "nothing is indexed in this project yet"))
    if not inside:
        text = f"nothing is indexed in scope {scope.name}; {count} source(s) elsewhere: scope project searches them"
        return Found([], Nothing("scope", text, elsewhere=count))
    if not query.terms:
        return Found([], Nothing("no_match", "the query holds no word to search for"))
    anywhere = Scope("project", None, None)
    elsewhere = _ranked(db, query, anywhere, narrow=False) if inside < count or scope.source else []
    if elsewhere:
        sources = len({item.id >> SHIFT for item in elsewhere})
        place = f"source {scope.source.sid}" if scope.source else f"scope {scope.name}"
        text = f"no match in {place}; {len(elsewhere)} matching chunk(s) in {sources} source(s) elsewhere"
        return Found([], Nothing("scope", text, elsewhere=len(elsewhere)))
    near = [word for term in query.terms for word in spelling.nearest(db, term.word, _NEAR_WORDS)][:_NEAR_WORDS]
    text = f"no match in {inside} source(s)" + (f"; nearest words: {', '.join(near)}" if near else "")
    return Found([], Nothing("no_match", text, near=near))


def _sources(store: Store, numbers: set[int]) -> list[Source]:
    marks = ",".join("?" * len(numbers))
    return list_sources(store, f"id IN ({marks})", tuple(numbers))


def _lines(text: str, line: int) -> str:
    """A heading for a chunk without one: the lines it holds, counted from 1."""
    count = text.count("\n") - text.endswith("\n")
    return f"lines {line}-{line + count}" if count > 0 else f"line {line}"


def _used(store: Store, sources: Iterable[Source]) -> None:
    """Notes the use, for retention, to the hour. A store that can't be written now is still searched."""
    now = now_ms()
    late = [(now, source.id) for source in sources if now - source.used > _USED_MS]
    if not late:
        return
    try:
        with store.write() as db:
            db.executemany("UPDATE sources SET used = ? WHERE id = ?", late)
    except StoreError:
        return
