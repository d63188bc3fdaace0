"""Python API: the runs of a folder as pandas tables, for scripts and notebooks; no server needed.

Over 400 lines, as `Runs` is the whole public interface: one short method for each kind of data.
"""

from __future__ import annotations

import contextlib
import html
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from mindinsight_like.conf.locations import check_local
from mindinsight_like.conf.settings import Settings
from mindinsight_like.dataframes.name_patterns import Names, expand, has_pattern, listed, suggestion
from mindinsight_like.errors import NotFound, RunNotFound
from mindinsight_like.items import series as items
from mindinsight_like.items.series import ItemKind, ItemSeries, read_items
from mindinsight_like.loader.lock import AlreadyLocked
from mindinsight_like.loader.once import load_index
from mindinsight_like.service.preflight import check_store
from mindinsight_like.store.database.location import IndexLocation
from mindinsight_like.store.names import SHOWN_KINDS
from mindinsight_like.store.reader import IndexReader
from mindinsight_like.tables.graph_tables import nodes_table
from mindinsight_like.tables.item_tables import ItemTables, coded
from mindinsight_like.tables.timestamps import time_column
from mindinsight_like.values.pr_curves import PrCurve, RocCurve

if TYPE_CHECKING:
    import pandas as pd

    from mindinsight_like.lineage.table.run_table import RunTable
    from mindinsight_like.profiler.jobs.analysis_jobs import Analyses
    from mindinsight_like.profiler.jobs.tables import Profile

T = TypeVar("T")
_Chosen = Names | None  # names or patterns, one or several; None: all there are
_SHOWN_RUNS = 20  # in a notebook
_TIMES = ("created_at", "updated_at", "started_at", "ended_at", "last_activity")


class UnknownRun(RunNotFound, KeyError):
    """There is no such run below the folder."""

    def __str__(self) -> str:
        return str(self.args[0])


class Runs:
    """Runs below a folder, in the order of their names: `for run in runs`, `runs["lenet/a"]`, `"lenet/a" in runs`.

    Its tables take names or shell patterns of runs and tags. The index in the workspace is shared with the service.
    """

    def __init__(self, location: IndexLocation, reader: IndexReader, selected: Iterable[str] | None = None) -> None:
        self._location = location
        self._reader = reader
        self._selected = None if selected is None else frozenset(selected)  # None: all, also those still to come

    def refresh(self) -> None:
        """Load what was logged since the last look."""
        # A service that follows this folder holds the lock and does the loading itself.
        with contextlib.suppress(AlreadyLocked):
            load_index(self._location)

    @property
    def names(self) -> list[str]:
        """The names of the runs: their folders below the one that was opened."""
        return list(self._ids())

    def __len__(self) -> int:
        return len(self._ids())

    def __iter__(self) -> Iterator[Run]:
        return (Run(self._location, self._reader, name) for name in self.names)

    def __contains__(self, run: object) -> bool:
        return (run.name if isinstance(run, Run) else run) in self._ids()

    def __getitem__(self, name: str | int) -> Run:
        """The run of a name, or the one at a place in the list of names; raises KeyError, IndexError."""
        if isinstance(name, int):
            return Run(self._location, self._reader, self.names[name])
        if name not in self:
            raise self._unknown(name)
        return Run(self._location, self._reader, name)

    def select(self, run: Names) -> Runs:
        """The runs of some names or patterns: `runs.select("lenet/*")`; raises KeyError when nothing matches one."""
        return Runs(self._location, self._reader, self._chosen(run).values())

    def __repr__(self) -> str:
        count = len(self)
        return f"<{count} run{'' if count == 1 else 's'} below {self._location.base_dir}>"

    def _repr_html_(self) -> str:
        """What notebooks show: the first runs as a table."""
        head = self.select(self.names[:_SHOWN_RUNS]).table() if len(self) else self.table()
        more = len(self) - len(head)
        rest = f"<p>and {more} more</p>" if more > 0 else ""
        return f"<p>{html.escape(repr(self)[1:-1])}</p>{head.to_html(index=False)}{rest}"

    def tags(self, tag: _Chosen = None, run: _Chosen = None, *, kind: str | None = None) -> pd.DataFrame:
        """One row per tag of each run: run, kind, tag, count, first_step, last_step.

        `kind` is one of those that `table` counts, such as "scalars" or "images".
        """
        import pandas as pd

        if kind is not None and kind not in SHOWN_KINDS.values():
            raise ValueError(f"unknown kind {kind!r}; expected one of {', '.join(SHOWN_KINDS.values())}")
        rows = [
            (name, each, summary.tag, summary.count, summary.first_step, summary.last_step)
            for id, name in self._chosen(run).items()
            for each, summaries in self._reader.series.tags(id).items()
            if kind in (None, each)
            for summary in summaries
        ]
        table = pd.DataFrame(rows, columns=["run", "kind", "tag", "count", "first_step", "last_step"])
        if tag is None:
            return table
        tags, unmatched = expand(tag, list(dict.fromkeys(table["tag"])))
        self._check_tags(unmatched, list(table["tag"]), kind or "")
        return table[table["tag"].isin(tags)].reset_index(drop=True)

    def lineage_records(self) -> list[tuple[str, float, str]]:
        """Name, time of the last change and lineage record (JSON) of each run that has one, by name."""
        facts = {each.id: each for each in self._reader.runs.facts()}
        records = [
            (facts[run], self._reader.runs.lineage_record(run))
            for run in self._reader.runs.lineage_summaries()
            if run in facts
        ]
        return sorted((each.name, each.updated_at, record) for each, record in records if record)

    def lineage(self, query: str = "", *, columns: Iterable[str] | None = None, sort: str = "run") -> pd.DataFrame:
        """One row per run with the parameters, data, code and results it is known by.

        `query` is in the language of the search box: `metric/accuracy > 0.9 and optimizer = "Adam"`. `columns` may
        name scalars too: `scalar/loss/min`. Comparing a column of texts with a number is warned of.
        """

        from mindinsight_like.lineage.table.run_table import RunTables
        from mindinsight_like.lineage.table.scalars.scalar_columns import ScalarSource
        from mindinsight_like.store.annotations import Annotations

        runs = RunTables(self._reader, Annotations(self._location)).get()
        names = None if columns is None else listed(columns)
        scalars = [name for name in names or () if name.startswith("scalar/")]
        extended = ScalarSource(self._reader).extend(runs, scalars)
        return self._search(extended, extended.table.names if names is None else names, query, sort)

    def _search(self, runs: RunTable, names: Iterable[str], query: str, sort: str) -> pd.DataFrame:
        """The columns of the runs that match; raises BadParameter, Rebuilding."""
        import pandas as pd

        from mindinsight_like.lineage.query.search import matching_rows, type_mismatches

        runs.refuse_partial()
        table = runs.table
        rows = matching_rows(table, query=query, sort=sort).tolist()
        if self._selected is not None:
            selected = {runs.places[run] for run in self._ids().values() if run in runs.places}
            rows = [row for row in rows if row in selected]
        for each in type_mismatches(table, query=query):
            warnings.warn(str(each.message), stacklevel=3)
        return pd.DataFrame(
            {
                name: time_column(values) if name in _TIMES else values
                for name in dict.fromkeys(["run", *names])
                for values in [[table.column(name).values[row] for row in rows]]
            }
        )

    def annotate(
        self,
        *,
        note: str | None = None,
        add_labels: Iterable[str] = (),
        remove_labels: Iterable[str] = (),
        colour: str | None = None,
        owner: str | None = None,
        archived: bool | None = None,
        hidden: bool | None = None,
    ) -> None:
        """Add to these runs what people can add to them in the page; what is not given stays as it is."""
        self._annotate(
            {"colour": colour, "owner": owner, "is_archived": archived, "is_hidden": hidden},
            note=note,
            add_labels=list(add_labels),
            remove_labels=list(remove_labels),
        )

    def archive(self) -> None:
        """Leave these runs out of lists from now on; `annotate(archived=False)` takes them back."""
        self._annotate({"is_archived": True})

    def hide(self) -> None:
        """The same for runs that are of no interest now; `annotate(hidden=False)` shows them again."""
        self._annotate({"is_hidden": True})

    def _annotate(self, settings: dict[str, Any], **changes: Any) -> None:
        from mindinsight_like.store.annotations import Annotations

        board = Settings.from_environment(os.environ).board_id
        settings = {name: value for name, value in settings.items() if value is not None}
        Annotations(self._location, board).annotate_all(list(self._ids().values()), settings=settings, **changes)

    def table(
        self, query: str = "", *, columns: Iterable[str] | None = None, sort: str = "run", fold_sub_runs: bool = False
    ) -> pd.DataFrame:
        """One row per run: what wrote it, when, its size, how many tags of each kind it has, its state and lineage.

        Canonical fields unite what dialects call by different names: `optimizer`, `learning_rate`, `accuracy`.
        `query` is in the language of the search box: `accuracy > 0.9 and lr < 0.1`. With `columns` only those: any
        field, parameter, metric or scalar, such as `scalar/train/loss/min`. `sort` as over REST: `-accuracy,run`.
        With `fold_sub_runs`, sub-runs of one training are one row by the rules of the runs table, as on the home page;
        it is called like their directory and has no numbers of tags.
        """
        from mindinsight_like.lineage.query.search import mentioned_names, sort_names
        from mindinsight_like.lineage.table.field_rules import FieldRules
        from mindinsight_like.lineage.table.folding.folded_runs import FoldedRunTables
        from mindinsight_like.lineage.table.folding.folding_settings import FoldingSettings
        from mindinsight_like.lineage.table.named_columns import with_named_columns
        from mindinsight_like.lineage.table.run_table import RunTables
        from mindinsight_like.lineage.table.united_runs import UnitedRunTables
        from mindinsight_like.store.annotations import Annotations

        annotations = Annotations(self._location)
        tables = UnitedRunTables(RunTables(self._reader, annotations), FieldRules(annotations, None).current)
        folded = FoldedRunTables(tables, FoldingSettings(annotations)) if fold_sub_runs else tables
        united = folded.get()
        names = None if columns is None else listed(columns)
        named = [*(names or ()), *sort_names(sort)]
        runs = with_named_columns(tables, united, named, mentioned_names(query))
        if names is not None:
            return self._search(runs, names, query, sort)
        recorded = [name for name in united.table.names if not name.startswith("scalar/")]
        found = self._search(runs, [name for name in recorded if runs.table.column(name).count], query, sort)
        if fold_sub_runs:
            return found
        facts = self._facts()
        if found.empty:
            return facts.iloc[:0]
        own = [name for name in facts.columns if name != "run"]
        return found[["run"]].merge(facts, on="run").merge(found.drop(columns=own, errors="ignore"), on="run")

    def _facts(self) -> pd.DataFrame:
        """One row per run, by name: what wrote it, when, its size, how many tags of each kind it has."""
        import pandas as pd

        _, runs = self._reader.runs.find(ids=None if self._selected is None else list(self._ids().values()))
        rows = [
            {
                "run": run.name,
                "display_name": run.display_name,
                "dialects": ",".join(run.dialects),
                "created_at": run.created_at,
                "updated_at": run.updated_at,
                "bytes": run.bytes,
                "warnings": run.warning_count,
                **run.counts,
            }
            for run in sorted(runs, key=lambda run: run.name)
        ]
        columns = ["run", "display_name", "dialects", "created_at", "updated_at", "bytes", "warnings"]
        kinds = list(dict.fromkeys(kind for run in runs for kind in run.counts))
        table = pd.DataFrame(rows, columns=[*columns, *kinds])
        table = table.fillna(dict.fromkeys(kinds, 0)).astype(dict.fromkeys(kinds, "int64"))
        return table.assign(**{name: time_column(table[name].to_numpy()) for name in ("created_at", "updated_at")})

    def scalars(
        self,
        tag: str | Iterable[str] | None = None,
        run: str | Iterable[str] | None = None,
        *,
        resume: str = "latest",
    ) -> pd.DataFrame:
        """The points of the chosen tags and runs (all when not given): run, tag, step, wall_time, value.

        A sixth column `source` is there when several curves share a run and tag, as with `add_scalars` or several
        ranks in one folder. The newest value of each step by default; `resume="all"`: every point in the order of
        writing.
        """
        import numpy as np
        import pandas as pd

        names = self._chosen(run)
        if tag is None:
            tags = self._scalar_tags(names)
        else:
            tags = expand(tag, self._scalar_tags(names))[0] if has_pattern(tag) else listed(tag)
        curves = self._reader.scalars(list(names), tags, max_points=None, resume=resume) if names else []
        if tag is not None:
            _, unmatched = expand(tag, list({curve.tag for curve in curves}))
            self._check_tags(unmatched, self._scalar_tags(names) if unmatched else [], "scalars")
        lengths = [len(curve.steps) for curve in curves]

        def repeated(values: list[str]) -> Any:
            # Few names, many points: categories keep the table small.
            return pd.Categorical.from_codes(*coded(values, lengths))

        columns: dict[str, Any] = {
            "run": repeated([names[curve.run] for curve in curves]),
            "tag": repeated([curve.tag for curve in curves]),
            "step": np.concatenate([curve.steps for curve in curves]) if curves else np.zeros(0, np.int64),
            "wall_time": time_column(np.concatenate([np.zeros(0), *(curve.wall_times for curve in curves)])),
            "value": np.concatenate([curve.values for curve in curves]) if curves else np.zeros(0),
        }
        if any(curve.source for curve in curves):
            columns["source"] = repeated([curve.source for curve in curves])
        return pd.DataFrame(columns)

    # The tables below have the columns run, tag, step, wall_time, then those named; `error` follows when a value could
    # not be read (its other columns are then missing), `source` as in `scalars`.

    def images(
        self, tag: _Chosen = None, run: _Chosen = None, *, read: bool = False, resume: str = "latest"
    ) -> pd.DataFrame:
        """Every image: index (among those of its step), width, height, image.

        `image` is read with `image.read()`, or holds the file's bytes with `read=True`.
        """
        tables, series = self._items(items.IMAGES, tag, run, resume)
        return tables.images(series, read=read)

    def video(
        self, tag: _Chosen = None, run: _Chosen = None, *, read: bool = False, resume: str = "latest"
    ) -> pd.DataFrame:
        """Every video, an animated GIF: as `images`."""
        tables, series = self._items(items.VIDEOS, tag, run, resume)
        return tables.images(series, read=read)

    def audio(
        self, tag: _Chosen = None, run: _Chosen = None, *, read: bool = False, resume: str = "latest"
    ) -> pd.DataFrame:
        """Every sound: index, sample_rate, channels, frames, label, sound (read as an image is)."""
        tables, series = self._items(items.SOUNDS, tag, run, resume)
        return tables.sounds(series, read=read)

    def texts(self, tag: _Chosen = None, run: _Chosen = None, *, resume: str = "latest") -> pd.DataFrame:
        """Every text: index (among those of its step), text, shape (of the table it belongs to, or empty)."""
        tables, series = self._items(items.TEXTS, tag, run, resume)
        return tables.texts(series)

    def histograms(self, tag: _Chosen = None, run: _Chosen = None, *, resume: str = "latest") -> pd.DataFrame:
        """Every histogram: count, min, max, sum, edges, counts, nan, pos_inf, neg_inf; edges and counts are arrays."""
        tables, series = self._items(items.HISTOGRAMS, tag, run, resume)
        return tables.histograms(series)

    def tensors(
        self, tag: _Chosen = None, run: _Chosen = None, *, read: bool = False, resume: str = "latest"
    ) -> pd.DataFrame:
        """Every tensor: dtype, shape, min, max, mean, std, sum, nan, pos_inf, neg_inf, tensor.

        `tensor.array()` gives the numbers, or `tensor` holds them with `read=True`; None for strings.
        """
        tables, series = self._items(items.TENSORS, tag, run, resume)
        return tables.tensors(series, read=read)

    def pr_curves(self, tag: _Chosen = None, run: _Chosen = None, *, resume: str = "latest") -> pd.DataFrame:
        """Every point of the precision-recall curves: threshold, tp, fp, tn, fn, precision, recall."""
        tables, series = self._items(items.PR_CURVES, tag, run, resume)
        return tables.curves(series, PrCurve)

    def roc_curves(self, tag: _Chosen = None, run: _Chosen = None, *, resume: str = "latest") -> pd.DataFrame:
        """Every point of the ROC curves: threshold, tp, fp, tn, fn, tpr, fpr."""
        tables, series = self._items(items.ROC_CURVES, tag, run, resume)
        return tables.curves(series, RocCurve)

    def embeddings(self, tag: _Chosen = None, run: _Chosen = None, *, resume: str = "latest") -> pd.DataFrame:
        """Every point of the embeddings: labels (a list), vector (an array).

        They are in the logs of VisualDL, or in the files that a `projector_config.pbtxt` names.
        """
        tables, series = self._items(items.EMBEDDINGS, tag, run, resume)
        return tables.embeddings(series)

    def meshes(
        self, tag: _Chosen = None, run: _Chosen = None, *, read: bool = False, resume: str = "latest"
    ) -> pd.DataFrame:
        """Every part of the meshes and point clouds: name, content (vertices, faces or colors), shape, config, array.

        Parts have tags of their own. `array.array()` gives the numbers, or `array` holds them with `read=True`.
        """
        tables, series = self._items(items.MESHES, tag, run, resume)
        return tables.meshes(series, read=read)

    def landscapes(self, tag: _Chosen = None, run: _Chosen = None, *, resume: str = "latest") -> pd.DataFrame:
        """Every loss landscape: x, y, z (a row for each y), path, convergence, decomposition, unit, step_per_epoch.

        `path` has intervals, x, y and z, or is None.
        """
        tables, series = self._items(items.LANDSCAPES, tag, run, resume)
        return tables.landscapes(series)

    def hparams(self, run: _Chosen = None, *, metric: str = "last") -> pd.DataFrame:
        """One row per session: run, status, started_at, ended_at, then a column per hyper-parameter and per metric.

        Metrics are their `last`, `min` or `max` value. A metric called like a hyper-parameter is `metric.<name>`.
        """
        from mindinsight_like.hparams.trials import read_trials, trial_table

        chosen = None if run is None else list(self._chosen(run))
        trials = read_trials(self._reader, chosen, reduction=metric)
        trials.refuse_partial()
        return trial_table(trials)

    def graphs(self, graph: _Chosen = None, run: _Chosen = None, *, attributes: bool = True) -> pd.DataFrame:
        """Every node of the computation graphs, as `graph_tables.nodes_table` describes it.

        `graph` chooses by the names of files or tags. Reading attributes takes most of the time of a large graph.
        """
        names = self._chosen(run)
        chosen = None if graph is None else set(listed(graph))
        return nodes_table(self._reader, names, chosen, attributes=attributes)

    def profiles(self, run: _Chosen = None) -> pd.DataFrame:
        """One row per profile: id, run, session, rank, device, tool, name, bytes, steps, started_at, state.

        What is only known of analysed profiles (`state` is "ready") is missing for others.
        """
        from mindinsight_like.profiler.jobs.tables import profiles_table

        return profiles_table(self._analyses(), self._chosen(run))

    def profile(self, id: str) -> Profile:
        """One profile, analysed unless that is done already: `.operators()`, `.steps()`, `.summary()`."""
        from mindinsight_like.profiler.jobs.tables import Profile

        return Profile(self._analyses(), id)

    def _analyses(self) -> Analyses:
        from mindinsight_like.profiler.jobs.analysis_jobs import Analyses

        return Analyses(Settings.from_environment(os.environ), lambda: self._reader)

    def _items(
        self, kind: ItemKind[T], tag: _Chosen, run: _Chosen, resume: str
    ) -> tuple[ItemTables, list[ItemSeries[T]]]:
        names = self._chosen(run)
        if tag is None:
            tags = None
        else:
            summaries = [each for id in names for each in self._reader.series.tags_of(id, [kind.kind])[kind.kind]]
            all_tags = list(dict.fromkeys(summary.tag for summary in summaries))
            tags, unmatched = expand(tag, all_tags)
            self._check_tags(unmatched, all_tags, SHOWN_KINDS[kind.kind])
        series = read_items(self._reader, kind, list(names), tags, resume=resume) if names else []
        return ItemTables(self._reader, names), series

    def _ids(self) -> dict[str, str]:
        """The ids of the runs by name."""
        facts = sorted(self._reader.runs.facts(), key=lambda each: each.name)
        return {each.name: each.id for each in facts if self._selected is None or each.name in self._selected}

    def _scalar_tags(self, names: Iterable[str]) -> list[str]:
        return [each.tag for each in self._reader.series.scalar_tags(list(names))]

    def _chosen(self, run: _Chosen) -> dict[str, str]:
        """Names of the chosen runs by id; raises UnknownRun when nothing matches a name or pattern."""
        ids = self._ids()
        if run is None:
            return {id: name for name, id in ids.items()}
        names, unmatched = expand(run, list(ids))
        if unmatched:
            raise self._unknown(unmatched[0])
        return {ids[name]: name for name in names}

    def _unknown(self, name: str) -> UnknownRun:
        near = suggestion(name, self.names)
        return UnknownRun(f"no run {name!r} in {self._location.base_dir}{near}", run=name)

    def _check_tags(self, unmatched: Iterable[str], all_tags: Iterable[str], kind: str) -> None:
        """Raise NotFound for the first tag or pattern that nothing matches."""
        for tag in unmatched:
            raise NotFound(
                f"no run has the {kind + ' ' if kind else ''}tag {tag!r}{suggestion(tag, set(all_tags))}", tag=tag
            )


class Run(Runs):
    """One run: every table of `Runs`, of this run only."""

    def __init__(self, location: IndexLocation, reader: IndexReader, name: str) -> None:
        super().__init__(location, reader, [name])
        self.name = name

    def rename(self, name: str) -> None:
        """Show the run under another name; empty: under its own."""
        self._annotate({"name": name})

    def __repr__(self) -> str:
        return f"<run {self.name!r} below {self._location.base_dir}>"


def open_runs(
    folder: str | Path,
    *,
    others: Mapping[str, str | Path] | None = None,
    workspace: str | Path | None = None,
    store_url: str | None = None,
) -> Runs:
    """The runs below a folder; workspace and store default to those of the service's settings.

    `others` are further base directories by name, as the service has them; their runs are called `/name/path`.
    """
    further = {} if others is None else {name: Path(path).expanduser() for name, path in others.items()}
    for place in (folder, *further.values(), *([] if workspace is None else [workspace])):
        check_local(place)
    settings = Settings.from_environment(os.environ)
    folder = Path(folder).expanduser()
    for each in (folder, *further.values()):
        if not each.is_dir():
            raise FileNotFoundError(f"{each} does not exist")
    url = settings.store_url if store_url is None else store_url
    check_store(url, needs_checksums=settings.store_checksums == "required")
    location = IndexLocation.of(
        folder,
        settings.workspace if workspace is None else Path(workspace).expanduser(),
        url,
        list(further.items()),
    )
    runs = Runs(location, IndexReader(location))
    runs.refresh()
    return runs
