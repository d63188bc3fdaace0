"""Rows of runs: their times, size, formats, warnings and tag counts, summed up from files and series."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from mindinsight_like.logs.kinds import Dialect, Kind
from mindinsight_like.store.database.database import Connection, Row, in_chunks, marks
from mindinsight_like.store.database.location import run_id
from mindinsight_like.store.files import FileUpdate, TrackedFile
from mindinsight_like.store.names import COUNTED_KINDS, DIALECT_NAMES, PIPELINE_TAG, PIPELINES, PROFILES
from mindinsight_like.store.rows import lineage_rows
from mindinsight_like.store.rows.file_totals import FileTotals, file_totals
from mindinsight_like.store.run_totals import TotalsUpdate
from mindinsight_like.store.series.folding import fold

_MANY_SERIES = 50_000  # from here on the tags of a run are not counted in each commit while it loads
_COUNTED_GROWTH = 1.5  # but when there are this much more of them, so that counting takes linear time in all


class RunSummaries:
    """The rows of runs, for the one writer of an index."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._counted: dict[str, int] = {}  # series of runs when their tags were counted last
        self._uncounted: set[str] = set()  # runs with more tags than their rows say

    def to_count(self, runs: Sequence[str], updates: Sequence[FileUpdate], removed: Sequence[TrackedFile]) -> set[str]:
        """The runs of a commit whose tags have to be counted: few of those that merely grow."""
        series = dict.fromkeys(runs, 0)
        changed, complete = {file.run for file in removed}, set()
        has_new = set(changed)
        for update in updates:
            run, batch = update.file.run, update.batch
            series[run] += len(update.keys)
            if update.file.id == 0 or update.starts_over:
                changed.add(run)
            if batch is not None and (batch.keys or len(batch.blob_numbers)):  # of graphs, records are counted
                has_new.add(run)
            if not update.file.is_partial:
                complete.add(run)
        chosen = set()
        for run in runs:
            before = self._counted.get(run)
            if before is not None and run not in changed:
                if run not in has_new and run not in self._uncounted:
                    continue
                if run not in complete and _MANY_SERIES <= series[run] < _COUNTED_GROWTH * before:
                    self._uncounted.add(run)
                    continue
            chosen.add(run)
            self._counted[run] = series[run]
            self._uncounted.discard(run)
        return chosen

    def refresh(self, names: Sequence[str], version: int, *, counted: set[str]) -> dict[str, FileTotals]:
        """Bring the rows of some runs up to date with their files and, for `counted` runs, with their series."""
        update = TotalsUpdate(self._connection, map(run_id, names))
        totals: dict[str, FileTotals] = {}
        for chunk in in_chunks(names):
            ids = {run_id(name): name for name in chunk}
            in_chunk = file_totals(self._connection, list(ids))
            totals |= in_chunk
            rows = self._run_rows(ids, in_chunk, version, [run for run, name in ids.items() if name in counted])
            self._connection.execute_many(
                "INSERT INTO runs (id, name, created_at, updated_at, bytes, dialects, counts, lone_tag, version,"
                " display_name, search_name, warnings) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (id) DO UPDATE SET"
                " created_at = excluded.created_at, updated_at = excluded.updated_at, bytes = excluded.bytes,"
                " dialects = excluded.dialects, counts = excluded.counts, lone_tag = excluded.lone_tag,"
                " version = excluded.version, display_name = excluded.display_name,"
                " search_name = excluded.search_name, warnings = excluded.warnings",
                rows,
            )
            present = {row[0] for row in rows}
            gone = [run for run in ids if run not in present]
            self._connection.execute_many(
                "UPDATE runs SET version = ? WHERE id = (SELECT parent FROM runs AS folded WHERE folded.id = ?)",
                [(version, run) for run in gone],
            )
            self._connection.execute_many("DELETE FROM runs WHERE id = ?", [(run,) for run in gone])
            lineage_rows.forget(self._connection, gone)
            self._connection.execute_many(
                "INSERT INTO removed_runs (id, version) VALUES (?, ?)"
                " ON CONFLICT (id) DO UPDATE SET version = excluded.version",
                [(run, version) for run in gone],
            )
            self._connection.execute_many("DELETE FROM removed_runs WHERE id = ?", [(run,) for run in present])
        update.store(fold(self._connection, version))
        return totals

    def _run_rows(
        self, ids: dict[str, str], totals: dict[str, FileTotals], version: int, counted: Sequence[str]
    ) -> list[Row]:
        dialects = self._dialects(totals)
        display_names = self._display_names([run for run, files in totals.items() if files.display_name])
        counts: dict[str, dict[int, int]] = {}
        one_tag: dict[str, str] = {}
        with_pipeline: set[str] = set()
        for run, kind, count, records, tag, has_pipeline in self._series_counts(counted):
            counts.setdefault(run, {})[kind] = int(records) if kind == Kind.GRAPH else count  # each record is a graph
            one_tag[run] = tag
            if kind == Kind.LINEAGE and has_pipeline:
                with_pipeline.add(run)
        same = self._stored_counts(sorted(ids.keys() - set(counted)))
        rows = []
        for run, files in totals.items():
            kind_counts = counts.get(run, {})
            tag_counts = {name: kind_counts[kind] for kind, name in COUNTED_KINDS.items() if kind in kind_counts}
            if run in with_pipeline:
                tag_counts[PIPELINES] = 1
            if PROFILES in tag_counts:
                tag_counts[PROFILES] = self._recordings(run)
            is_lone = kind_counts == {Kind.SCALAR: 1} and dialects[run] == {"tensorboard"}
            rows.append(
                (
                    run,
                    ids[run],
                    files.created_at,
                    int(files.mtime_ns) / 1e9,
                    int(files.bytes),
                    ",".join(sorted(dialects[run])),
                    *same.get(run, (json.dumps(tag_counts), one_tag[run] if is_lone else None)),
                    version,
                    display_names.get(run, ""),
                    f"{ids[run]} {display_names.get(run, '')}".lower(),
                    int(files.damages),
                )
            )
        return rows

    def _dialects(self, totals: Mapping[str, FileTotals]) -> dict[str, set[str]]:
        """The dialects of each run; files with run states count where there is nothing else."""
        dialects = {run: {DIALECT_NAMES[Dialect(files.first_dialect)]} for run, files in totals.items()}
        mixed = [run for run, files in totals.items() if files.first_dialect != files.last_dialect]
        if mixed:
            for run, dialect in self._connection.execute(
                f"SELECT DISTINCT run, dialect FROM files WHERE run IN ({marks(mixed)}) AND hidden = 0", mixed
            ):
                dialects[run].add(DIALECT_NAMES[Dialect(dialect)])
            for run in mixed:
                dialects[run].discard(DIALECT_NAMES[Dialect.RUN_STATE])
        return dialects

    def _display_names(self, runs: Sequence[str]) -> dict[str, str]:
        """The display names of some runs; that of the file that was begun last wins."""
        if not runs:
            return {}
        rows = self._connection.execute(
            f"SELECT run, display_name FROM files WHERE run IN ({marks(runs)}) AND display_name <> '' ORDER BY name",
            runs,
        )
        return dict(rows)

    def _series_counts(self, runs: Sequence[str]) -> list[Row]:
        """Run, kind, tags, records, first tag, and whether there is a data pipeline (1 or 0), of some runs."""
        if not runs:
            return []
        return self._connection.execute(
            "SELECT run, kind, COUNT(DISTINCT tag), SUM(count), MIN(tag),"
            f" MAX(CASE WHEN tag = '{PIPELINE_TAG}' THEN 1 ELSE 0 END)"
            f" FROM files JOIN series ON series.file = files.id WHERE run IN ({marks(runs)}) GROUP BY run, kind",
            runs,
        )

    def _stored_counts(self, runs: Sequence[str]) -> dict[str, tuple[str, str | None]]:
        """The counts and the lone tag in the rows of some runs."""
        if not runs:
            return {}
        rows = self._connection.execute(f"SELECT id, counts, lone_tag FROM runs WHERE id IN ({marks(runs)})", runs)
        return {run: (counts, lone_tag) for run, counts, lone_tag in rows}

    def _recordings(self, run: str) -> int:
        from mindinsight_like.profiler.traces.sources import sources_of  # not every folder has profiles

        rows = self._connection.execute(
            f"SELECT name FROM files WHERE run = ? AND dialect = {Dialect.PROFILE:d} AND size > 0", (run,)
        )
        return len(sources_of([name for (name,) in rows]))
