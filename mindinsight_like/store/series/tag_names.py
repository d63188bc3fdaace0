"""Paginated tag names: a run may have a million of them."""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice
from typing import NamedTuple

from mindinsight_like.logs.kinds import Kind
from mindinsight_like.store.database.connections import IndexConnection
from mindinsight_like.store.database.database import Database, in_chunks, marks
from mindinsight_like.store.names import COUNTED_KINDS
from mindinsight_like.store.run_catalogue import RunCatalogue

_FILES_APART = 32  # each asked for its own first names, in the order of the index; more are sorted together


class TagNamePage(NamedTuple):
    """Some tags in the order of their names, and how many there are before `after` and `limit`."""

    names: list[str]
    total: int
    is_cut: bool  # there are more behind the last one


class TagNames:
    """Which tags runs have, by index."""

    def __init__(self, connection: IndexConnection, runs: RunCatalogue) -> None:
        self._connection = connection
        self._runs = runs

    def kinds(self, run: str, kinds: Iterable[Kind]) -> set[Kind]:
        """Those of some kinds of data that a run has, in one question."""
        with self._connection.snapshot():  # numbers of files are those of one database
            members = [member for family in self._runs.known_families([run]).values() for member in family]
            files = [file for (file,) in self._connection.query_many("SELECT id FROM files WHERE run IN ({})", members)]
            there: set[Kind] = set()
            for chunk in in_chunks(files):
                listed = ", ".join(map(str, chunk))  # numbers of our own: as parameters they would be too many
                found = f"EXISTS (SELECT 1 FROM series WHERE file IN ({listed}) AND kind ="
                questions = [f"SELECT {int(kind)} WHERE {found} {int(kind)})" for kind in kinds]
                there |= {Kind(kind) for (kind,) in self._connection.query(" UNION ALL ".join(questions))}
            return there

    def page(self, runs: Sequence[str], kind: Kind, *, search: str = "", after: str = "", limit: int) -> TagNamePage:
        """The tags of one kind that any of the runs has, those after a name; all words of `search` are in them."""
        with self._connection.snapshot():
            return self._page(runs, kind, search, after, limit)

    def _page(self, runs: Sequence[str], kind: Kind, search: str, after: str, limit: int) -> TagNamePage:
        families = self._runs.known_families(runs)
        members = [member for family in families.values() for member in family]
        files = [file for (file,) in self._connection.query_many("SELECT id FROM files WHERE run IN ({})", members)]
        database = self._connection.database
        condition, parameters = _containing(database, "tag", search)
        condition = f"kind = {int(kind)}{condition}"
        behind, bounds = (f" AND {database.tag_order} > ?", [after]) if after else ("", [])
        window = f"SELECT DISTINCT tag, {database.tag_order} FROM series WHERE file {{}} AND {condition}{behind}"
        window += f" ORDER BY 2 LIMIT {limit + 1}"
        lists: list[list[str]] = []
        for chunk in ([file] for file in files) if len(files) <= _FILES_APART else in_chunks(files):
            which = "= ?" if len(chunk) == 1 else f"IN ({marks(chunk)})"
            rows = self._connection.query(window.format(which), [*chunk, *parameters, *bounds])
            lists.append([tag for tag, _ in rows])
        names = list(islice(_distinct(lists), limit + 1))
        is_cut = len(names) > limit
        if not (is_cut or after):
            total = len(names)
        elif len(members) == 1 and not parameters and kind in COUNTED_KINDS:
            ((counts,),) = self._connection.query("SELECT counts FROM runs WHERE id = ?", members)
            total = int(json.loads(counts).get(COUNTED_KINDS[kind], 0))
        else:
            total = self._count_tags(files, condition, parameters)
        return TagNamePage(names[:limit], total, is_cut)

    def _count_tags(self, files: Sequence[int], condition: str, parameters: Sequence[object]) -> int:
        if len(files) == 1:
            counted = f"SELECT COUNT(*) FROM (SELECT DISTINCT tag FROM series WHERE file = ? AND {condition}) AS tags"
            return int(self._connection.query(counted, [*files, *parameters])[0][0])
        rows = self._connection.query_many(
            f"SELECT DISTINCT tag FROM series WHERE file IN ({{}}) AND {condition}", files, *parameters
        )
        return len(set(rows))


def _containing(database: Database, column: str, search: str) -> tuple[str, list[str]]:
    """Conditions that a column contains every word, upper or lower case, and their parameters."""
    conditions, parameters = "", []
    for word in search.lower().split():
        # Both databases compare Latin letters without case by themselves, which is much quicker.
        compared = f"{column} {database.like}" if word.isascii() else f"LOWER({column}) LIKE"
        conditions += f" AND {compared} ? ESCAPE '!'"
        parameters.append("%" + word.replace("!", "!!").replace("%", "!%").replace("_", "!_") + "%")
    return conditions, parameters


def _distinct(lists: Sequence[Sequence[str]]) -> Iterator[str]:
    """The names of sorted lists in their order, each once."""
    for name, _ in groupby(heapq.merge(*lists)):
        yield name
