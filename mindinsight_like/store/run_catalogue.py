"""The runs of an index: lists, changes, files, and which folders are shown as one run."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict

from mindinsight_like.errors import RunNotFound
from mindinsight_like.logs.kinds import Dialect, Kind
from mindinsight_like.store.answers import Changes, Loading, LogFile, ProfileFile, Run, RunFacts, ServiceState, Warning
from mindinsight_like.store.asking import Asking
from mindinsight_like.store.database import Row
from mindinsight_like.store.names import COUNTED_KINDS, DIALECT_NAMES, PIPELINE_TAG, PIPELINES, PROFILES
from mindinsight_like.store.progress import Progress

RUN_ORDERS = {
    "name": "name",
    "created_at": "created_at",
    "updated_at": "updated_at",
    "bytes": "bytes",
    "dialects": "dialects",
    "warnings": "(SELECT COALESCE(SUM(damages), 0) FROM files WHERE files.run = runs.id)",
}

_RUN_COLUMNS = "id, name, dialects, created_at, updated_at, bytes, counts, version"


class RunCatalogue(Asking):
    """What there is to know of runs without looking into their data."""

    def service(self) -> ServiceState:
        text = self._ask("SELECT value FROM meta WHERE key = 'loading'")
        if not text:
            return ServiceState(self._database.kind, Loading("loading"))
        if text[0][0]:
            progress = Progress.from_text(text[0][0])
            return ServiceState(self._database.kind, Loading("loading", **asdict(progress)), self._kinds())
        ((runs, size),) = self._ask("SELECT COUNT(*), COALESCE(SUM(bytes), 0) FROM runs WHERE parent IS NULL")
        return ServiceState(self._database.kind, Loading("idle", runs, runs, int(size), int(size)), self._kinds())

    def _kinds(self) -> list[str]:
        # Often asked for: the texts are only searched. Their keys are all the words there are in them.
        counts = "".join(text for (text,) in self._ask("SELECT DISTINCT counts FROM runs"))
        return [name for name in COUNTED_KINDS.values() if f'"{name}"' in counts]

    def cursor(self) -> int:
        rows = self._ask("SELECT value FROM meta WHERE key = 'version'")
        return int(rows[0][0]) if rows else 0

    def changes(self, since: int) -> Changes:
        """Runs that changed or went after the commit numbered `since`."""
        cursor = self.cursor()  # asked first: what is committed meanwhile is reported again, not missed
        if cursor < since:
            since = 0  # the index was made anew
        changed = self._ask("SELECT id, parent FROM runs WHERE version > ?", (since,))
        removed = self._ask("SELECT id FROM removed_runs WHERE version > ?", (since,))
        folded = [run for run, parent in changed if parent is not None]
        return Changes(cursor, [run for run, parent in changed if parent is None], [run for (run,) in removed] + folded)

    def runs(
        self,
        *,
        search: str = "",
        sort: str = "name",
        offset: int = 0,
        limit: int | None = None,
        ids: Sequence[str] | None = None,
    ) -> tuple[int, list[Run]]:
        """How many runs match, and those of the asked window; every word of `search` must be in the name."""
        conditions, parameters = ["parent IS NULL"], []
        for word in search.lower().split():
            conditions.append("LOWER(name) LIKE ? ESCAPE '!'")
            parameters.append("%" + word.replace("!", "!!").replace("%", "!%").replace("_", "!_") + "%")
        order = RUN_ORDERS[sort.removeprefix("-")] + (" DESC" if sort.startswith("-") else "")
        where = " AND ".join(conditions)
        if ids is not None:
            rows = self._ask_many(f"SELECT {_RUN_COLUMNS} FROM runs WHERE id IN ({{}}) AND parent IS NULL", ids)
            return len(rows), self._runs(rows)
        total = self._ask(f"SELECT COUNT(*) FROM runs WHERE {where}", parameters)
        window = "" if limit is None else f" LIMIT {int(limit)}"
        if offset:
            window = f"{window or ' LIMIT 9223372036854775807'} OFFSET {int(offset)}"
        rows = self._ask(f"SELECT {_RUN_COLUMNS} FROM runs WHERE {where} ORDER BY {order}, name{window}", parameters)
        return int(total[0][0]) if total else 0, self._runs(rows)

    def run(self, run: str) -> Run:
        _, found = self.runs(ids=[run])
        if not found:
            raise RunNotFound(f"there is no run with the id {run!r}", run=run)
        return found[0]

    def _runs(self, rows: Sequence[Row]) -> list[Run]:
        families = self._families([row[0] for row in rows])
        owner = {member: run for run, members in families.items() for member in members}
        counts: dict[str, int] = {}
        warnings: dict[str, list[Warning]] = {}
        damaged = self._ask_many("SELECT run, damages FROM files WHERE run IN ({}) AND damages > 0", owner)
        for member, damages in damaged:
            counts[owner[member]] = counts.get(owner[member], 0) + damages
        found = self._ask_many(
            "SELECT run, name, warnings.position, kind, message FROM files JOIN warnings ON warnings.file = files.id"
            " WHERE run IN ({}) ORDER BY name, warnings.position",
            {member for member, _ in damaged},
        )
        for member, name, position, kind, message in found:
            warnings.setdefault(owner[member], []).append(Warning(name, position, kind, message))
        folded = {run: self._counts(members) for run, members in families.items() if len(members) > 1}
        with_folders = {
            run: (int(size), updated_at)
            for run, size, updated_at in self._ask_many(
                "SELECT parent, SUM(bytes), MAX(updated_at) FROM runs WHERE parent IN ({}) GROUP BY parent", folded
            )
        }
        return [
            Run(
                run,
                name,
                dialects.split(","),
                created_at,
                max(updated_at, with_folders.get(run, (0, 0.0))[1]),
                size + with_folders.get(run, (0, 0.0))[0],
                _with_folded(json.loads(tags), folded.get(run)),
                warnings.get(run, []),
                counts.get(run, 0),
                version,
            )
            for run, name, dialects, created_at, updated_at, size, tags, version in rows
        ]

    def _counts(self, members: Iterable[str]) -> dict[str, int]:
        """How many tags of each kind several folders have together."""
        tags = set(
            self._ask_many(
                "SELECT kind, tag FROM files JOIN series ON series.file = files.id WHERE run IN ({})", members
            )
        )
        counts = Counter(kind for kind, _ in tags)
        found = {name: counts[kind] for kind, name in COUNTED_KINDS.items() if counts[kind]}
        return found | {PIPELINES: 1} if (Kind.LINEAGE, PIPELINE_TAG) in tags else found

    def _families(self, runs: Iterable[str]) -> dict[str, dict[str, str]]:
        """For each run the folders shown in it, itself included, with what their curves are called."""
        families: dict[str, dict[str, str]] = {run: {run: ""} for run in runs}
        for run, parent, source in self._ask_many("SELECT id, parent, source FROM runs WHERE parent IN ({})", families):
            families[parent][run] = source
        return families

    def _known_families(self, runs: Sequence[str]) -> dict[str, dict[str, str]]:
        known = {run for (run,) in self._ask_many("SELECT id FROM runs WHERE id IN ({}) AND parent IS NULL", runs)}
        for run in runs:
            if run not in known:
                raise RunNotFound(f"there is no run with the id {run!r}", run=run)
        return self._families(dict.fromkeys(runs))

    def versions(self, runs: Sequence[str]) -> list[int]:
        """A number for each run that grows whenever an answer about it may change; 0 for an unknown one."""
        found: dict[str, int] = dict(self._ask_many("SELECT id, version FROM runs WHERE id IN ({})", runs))
        return [found.get(run, 0) for run in runs]

    def newest_runs(self, count: int) -> list[str]:
        """The runs that were updated last, the last one first."""
        rows = self._ask(f"SELECT id FROM runs WHERE parent IS NULL ORDER BY updated_at DESC, id LIMIT {int(count)}")
        return [run for (run,) in rows]

    def lineage_summaries(self, since: int = 0) -> dict[str, str]:
        """What tables show of the lineage of runs, as JSON by id; of those made after the commit numbered `since`."""
        return dict(self._ask("SELECT run, summary FROM lineage WHERE version > ? AND stale = 0", (since,)))

    def lineage_record(self, run: str) -> str:
        """All that is known of a run's lineage, as JSON; empty when nothing is."""
        rows = self._ask("SELECT record FROM lineage WHERE run = ?", (run,))
        return str(rows[0][0]) if rows else ""

    def run_facts(self, since: int = 0) -> list[RunFacts]:
        """The plain facts of all runs that changed after the commit numbered `since`; much cheaper than `runs`."""
        rows = self._ask(
            "SELECT id, name, created_at, updated_at, bytes, dialects FROM runs WHERE version > ? AND parent IS NULL",
            (since,),
        )
        return [RunFacts(*row) for row in rows]

    def profile_files(self, run: str | None = None) -> list[ProfileFile]:
        """The files of profilers in one run, or in all, that are not empty."""
        # Dialects of a run are names joined by commas; nobody else's holds this word.
        where, parameters = ("runs.id = ?", [run]) if run is not None else ("dialects LIKE ?", ["%profile%"])
        rows = self._ask(
            "SELECT runs.id, runs.name, files.name, size, mtime_ns FROM runs JOIN files ON files.run = runs.id"
            f" WHERE {where} AND files.dialect = {Dialect.PROFILE:d} AND size > 0 ORDER BY runs.name, files.name",
            parameters,
        )
        return [ProfileFile(*row) for row in rows]

    def files(self, run: str) -> list[LogFile]:
        (family,) = self._known_families([run]).values()
        rows = self._ask_many("SELECT name, size, position, dialect FROM files WHERE run IN ({}) ORDER BY name", family)
        return [
            LogFile(name, size, position, DIALECT_NAMES[Dialect(dialect)]) for name, size, position, dialect in rows
        ]


def _with_folded(own: dict[str, int], folded: dict[str, int] | None) -> dict[str, int]:
    """The counts of a run with those of folders shown in it, which hold scalars only."""
    if folded is None:
        return own
    return folded | {PROFILES: own[PROFILES]} if PROFILES in own else folded
