"""The runs of an index: lists, changes, files, and which folders are shown as one run."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

import orjson

from mindinsight_like.errors import Rebuilding, RunNotFound
from mindinsight_like.logs.kinds import Dialect, Kind
from mindinsight_like.store.database.connections import IndexConnection
from mindinsight_like.store.database.database import Row
from mindinsight_like.store.names import COUNTED_KINDS, DIALECT_NAMES, PIPELINE_TAG, PIPELINES, PROFILES
from mindinsight_like.store.result_types import (
    Changes,
    LogFile,
    ProfileFile,
    Run,
    RunFacts,
    Warning,
)
from mindinsight_like.store.run_states import STATUS_COLUMNS
from mindinsight_like.store.run_status import RunStatus
from mindinsight_like.store.run_totals import RunTotals

RUN_ORDERS = {
    "name": "name",
    "created_at": "created_at",
    "updated_at": "updated_at",
    "bytes": "bytes",
    "dialects": "dialects",
    "warnings": "warnings",
}

_FEW_MATCHES = 2000  # of a search: sorted in less time than it takes to find them in an index of the order
_RUN_COLUMNS = f"id, name, dialects, created_at, updated_at, bytes, counts, version, display_name, {STATUS_COLUMNS}"


class RunCatalogue:
    """What there is to know of runs without looking into their data."""

    def __init__(self, connection: IndexConnection) -> None:
        self._connection = connection

    def totals(self) -> RunTotals:
        """How many runs there are and what they have, without looking at each."""
        rows = self._connection.query("SELECT value FROM meta WHERE key = 'totals'")
        return RunTotals.from_text(rows[0][0]) if rows else RunTotals()

    def cursor(self) -> int:
        rows = self._connection.query("SELECT value FROM meta WHERE key = 'version'")
        return int(rows[0][0]) if rows else 0

    def changes(self, since: int) -> Changes:
        """Runs that changed or went after the commit numbered `since`."""
        cursor = self.cursor()  # asked first: what is committed meanwhile is reported again, not missed
        if cursor < since:
            since = 0  # the index was made anew
        changed = self._connection.query("SELECT id, parent FROM runs WHERE version > ?", (since,))
        removed = self._connection.query("SELECT id FROM removed_runs WHERE version > ?", (since,))
        folded = [run for run, parent in changed if parent is not None]
        return Changes(cursor, [run for run, parent in changed if parent is None], [run for (run,) in removed] + folded)

    def find(
        self,
        *,
        search: str = "",
        sort: str = "name",
        offset: int = 0,
        limit: int | None = None,
        ids: Sequence[str] | None = None,
        named: Collection[str] = (),
        excluded: Collection[str] = (),
        kinds: Sequence[str] = (),
    ) -> tuple[int, list[Run]]:
        """How many runs match, and those of the asked window; every word of `search` must be in its names.

        The runs in `named` match whatever they are called, those in `excluded` do not. If `kinds` are given, a run must
        have data of one of them.
        """
        if ids is not None:
            rows = self._connection.query_many(
                f"SELECT {_RUN_COLUMNS} FROM runs WHERE id IN ({{}}) AND parent IS NULL", ids
            )
            return len(rows), self._runs(rows)
        condition, parameters = self._searched(search, named)
        if excluded:
            without, listed = self._among(excluded)
            condition, parameters = f"{condition} AND NOT ({without})", [*parameters, listed]
        having, kind_parameters = _having_any(kinds)
        where, parameters = f"parent IS NULL{condition}{having}", [*parameters, *kind_parameters]
        if parameters:
            # The narrow index of names is looked through, not the runs.
            counted = self._connection.query(f"SELECT COUNT(*) FROM runs WHERE {where}", parameters)
            total = int(counted[0][0]) if counted else 0
            if total <= _FEW_MATCHES:
                where = f"parent IS NULL AND id IN (SELECT id FROM runs WHERE {where})"
        else:
            total = self.totals().runs
        rows = self._connection.query(
            f"SELECT {_RUN_COLUMNS} FROM runs WHERE {where}{_window(sort, offset, limit)}", parameters
        )
        return total, self._runs(rows)

    def having(self, kind: str) -> set[str]:
        """The runs with data of a kind, by its API name."""
        condition, parameters = _having_any([kind])
        rows = self._connection.query(f"SELECT id FROM runs WHERE parent IS NULL{condition}", parameters)
        return {run for (run,) in rows}

    def matching(
        self, search: str, *, among: Collection[str], named: Collection[str] = (), kinds: Sequence[str] = ()
    ) -> set[str]:
        """Those of some runs that `find` would find."""
        if not among:
            return set()
        condition, parameters = self._searched(search, named)
        within, listed = self._among(among)
        having, kind_parameters = _having_any(kinds)
        rows = self._connection.query(
            f"SELECT id FROM runs WHERE parent IS NULL{condition} AND {within}{having}",
            [*parameters, listed, *kind_parameters],
        )
        return {run for (run,) in rows}

    def _searched(self, search: str, named: Collection[str]) -> tuple[str, list[str]]:
        condition, parameters = _containing_all(search)
        if not parameters or not named:
            return condition, parameters
        within, listed = self._among(named)
        return f" AND ((1 = 1{condition}) OR {within})", [*parameters, listed]

    def _among(self, runs: Collection[str]) -> tuple[str, str]:
        """The condition that a run is one of any number of runs, and its parameter."""
        if self._connection.database.kind == "sqlite":
            return "id IN (SELECT value FROM json_each(?))", json.dumps(sorted(runs))
        return "id = ANY(string_to_array(?, ','))", ",".join(sorted(runs))

    def get(self, run: str) -> Run:
        _, matches = self.find(ids=[run])
        if not matches:
            raise RunNotFound(f"no run with id {run!r}", run=run)
        return matches[0]

    def _runs(self, rows: Sequence[Row]) -> list[Run]:
        families = self.families([row[0] for row in rows])
        owner = {member: run for run, members in families.items() for member in members}
        counts: dict[str, int] = {}
        warnings: dict[str, list[Warning]] = {}
        damaged = self._connection.query_many("SELECT run, damages FROM files WHERE run IN ({}) AND damages > 0", owner)
        for member, damages in damaged:
            counts[owner[member]] = counts.get(owner[member], 0) + damages
        warning_rows = self._connection.query_many(
            "SELECT run, name, warnings.position, kind, message FROM files JOIN warnings ON warnings.file = files.id"
            " WHERE run IN ({}) ORDER BY name, warnings.position",
            {member for member, _ in damaged},
        )
        for member, name, position, kind, message in warning_rows:
            warnings.setdefault(owner[member], []).append(Warning(name, position, kind, message))
        folded = {run: self._counts(members) for run, members in families.items() if len(members) > 1}
        with_folders = {
            run: (int(size), updated_at)
            for run, size, updated_at in self._connection.query_many(
                "SELECT parent, SUM(bytes), MAX(updated_at) FROM runs WHERE parent IN ({}) GROUP BY parent", folded
            )
        }
        return [
            Run(
                run,
                name,
                dialects.split(","),
                created_at,
                max(updated_at, with_folders[run][1]) if run in with_folders else updated_at,
                size + with_folders[run][0] if run in with_folders else size,
                _with_folded(orjson.loads(tags), folded.get(run)),
                warnings.get(run, []),
                counts.get(run, 0),
                version,
                display_name,
                RunStatus(*status),
            )
            for run, name, dialects, created_at, updated_at, size, tags, version, display_name, *status in rows
        ]

    def _counts(self, members: Iterable[str]) -> dict[str, int]:
        """How many tags of each kind several folders have together, and how many graphs."""
        rows = self._connection.query_many(
            "SELECT kind, tag, count FROM files JOIN series ON series.file = files.id WHERE run IN ({})", members
        )
        tags = {(kind, tag) for kind, tag, _ in rows}
        counts = Counter(kind for kind, _ in tags)
        if Kind.GRAPH in counts:  # each record is one
            counts[Kind.GRAPH] = sum(count for kind, _, count in rows if kind == Kind.GRAPH)
        by_kind = {name: counts[kind] for kind, name in COUNTED_KINDS.items() if counts[kind]}
        return by_kind | {PIPELINES: 1} if (Kind.LINEAGE, PIPELINE_TAG) in tags else by_kind

    def parents(self) -> dict[str, str]:
        """The folders that are shown in another run, with that run."""
        rows = self._connection.query("SELECT id, parent FROM runs WHERE parent IS NOT NULL")
        return {str(run): str(parent) for run, parent in rows}

    def families(self, runs: Iterable[str]) -> dict[str, dict[str, str]]:
        """For each run the folders shown in it, itself included, with what their curves are called."""
        families: dict[str, dict[str, str]] = {run: {run: ""} for run in runs}
        for run, parent, source in self._connection.query_many(
            "SELECT id, parent, source FROM runs WHERE parent IN ({})", families
        ):
            families[parent][run] = source
        return families

    def known_families(self, runs: Sequence[str]) -> dict[str, dict[str, str]]:
        existing = {
            run
            for (run,) in self._connection.query_many("SELECT id FROM runs WHERE id IN ({}) AND parent IS NULL", runs)
        }
        for run in runs:
            if run not in existing:
                raise RunNotFound(f"no run with id {run!r}", run=run)
        return self.families(dict.fromkeys(runs))

    def versions(self, runs: Sequence[str]) -> list[int]:
        """A number for each run that grows whenever an answer about it may change; 0 for an unknown one."""
        version_of: dict[str, int] = dict(
            self._connection.query_many("SELECT id, version FROM runs WHERE id IN ({})", runs)
        )
        return [version_of.get(run, 0) for run in runs]

    def under_repair(self, runs: Iterable[str]) -> set[str]:
        """Those of the runs with a log file that is being read again, as what the index has of it is damaged."""
        files = self._connection.repairs.files()
        if not files:
            return set()
        with self._connection.snapshot():
            owner = {member: run for run, members in self.families(runs).items() for member in members}
            rows = self._connection.query_many("SELECT run FROM files WHERE id IN ({})", files)
        return {owner[member] for (member,) in rows if member in owner}

    def refuse_under_repair(self, runs: Iterable[str]) -> None:
        """Raise Rebuilding when one of the runs is being rebuilt: for answers that must be complete."""
        if self.under_repair(runs):
            raise Rebuilding("One of these runs is damaged in the index and is being rebuilt from its log.")

    def newest(self, count: int) -> list[str]:
        """The runs that were updated last, the last one first."""
        rows = self._connection.query(
            f"SELECT id FROM runs WHERE parent IS NULL ORDER BY updated_at DESC, id LIMIT {int(count)}"
        )
        return [run for (run,) in rows]

    def lineage_summaries(self, since: int = 0) -> dict[str, str]:
        """What tables show of the lineage of runs, as JSON by id; of those made after the commit numbered `since`."""
        return dict(
            self._connection.query("SELECT run, summary FROM lineage WHERE version > ? AND stale = 0", (since,))
        )

    def lineage_record(self, run: str) -> str:
        """All that is known of a run's lineage, as JSON; empty when nothing is."""
        rows = self._connection.query("SELECT record FROM lineage WHERE run = ?", (run,))
        return str(rows[0][0]) if rows else ""

    def facts(self, since: int = 0) -> list[RunFacts]:
        """The plain facts of all runs that changed after the commit numbered `since`; much cheaper than `find`."""
        rows = self._connection.query(
            "SELECT id, name, created_at, updated_at, bytes, dialects, display_name, warnings,"
            f" {STATUS_COLUMNS} FROM runs WHERE version > ? AND parent IS NULL",
            (since,),
        )
        return [
            RunFacts(run, name, created_at, updated_at, size, dialects, RunStatus(*status), display_name, warnings)
            for run, name, created_at, updated_at, size, dialects, display_name, warnings, *status in rows
        ]

    def profile_files(self, run: str | None = None) -> list[ProfileFile]:
        """The files of profilers in one run, or in all, that are not empty."""
        # Dialects of a run are names joined by commas; nobody else's holds this word.
        where, parameters = ("runs.id = ?", [run]) if run is not None else ("dialects LIKE ?", ["%profile%"])
        rows = self._connection.query(
            "SELECT runs.id, runs.name, files.name, size, mtime_ns, inode, ctime_ns"
            " FROM runs JOIN files ON files.run = runs.id"
            f" WHERE {where} AND files.dialect = {Dialect.PROFILE:d} AND size > 0 ORDER BY runs.name, files.name",
            parameters,
        )
        return [ProfileFile(*row) for row in rows]

    def files(self, run: str) -> list[LogFile]:
        (family,) = self.known_families([run]).values()
        rows = self._connection.query_many(
            "SELECT name, size, position, dialect FROM files WHERE run IN ({}) ORDER BY name", family
        )
        return [
            LogFile(name, size, position, DIALECT_NAMES[Dialect(dialect)]) for name, size, position, dialect in rows
        ]


def _containing_all(search: str) -> tuple[str, list[str]]:
    """Conditions that the names of a run contain every word, and their parameters."""
    words = search.lower().split()
    parameters = ["%" + word.replace("!", "!!").replace("%", "!%").replace("_", "!_") + "%" for word in words]
    return " AND search_name LIKE ? ESCAPE '!'" * len(words), parameters


def _having_any(kinds: Sequence[str]) -> tuple[str, list[str]]:
    """A condition that a run, or a folder shown in it, has data of one of the kinds, and its parameters."""
    if not kinds:
        return "", []
    likes = " OR ".join(["counts LIKE ?"] * len(kinds))
    parameters = [f'%"{kind}"%' for kind in kinds]
    return f" AND ({likes} OR id IN (SELECT parent FROM runs WHERE parent IS NOT NULL AND ({likes})))", parameters * 2


def _window(sort: str, offset: int, limit: int | None) -> str:
    """Order and window of a list of runs; an order is exactly the reverse of its opposite, so that one index does."""
    direction = " DESC" if sort.startswith("-") else ""
    column = RUN_ORDERS[sort.removeprefix("-")]
    order = ", ".join(f"{each}{direction}" for each in dict.fromkeys((column, "name")))
    window = "" if limit is None else f" LIMIT {int(limit)}"
    if offset:
        window = f"{window or ' LIMIT 9223372036854775807'} OFFSET {int(offset)}"
    return f" ORDER BY {order}{window}"


def _with_folded(own: dict[str, int], folded: dict[str, int] | None) -> dict[str, int]:
    """The counts of a run with those of folders shown in it, which hold scalars only."""
    if folded is None:
        return own
    return folded | {PROFILES: own[PROFILES]} if PROFILES in own else folded
