"""The runs of a folder as tables, for scripts and notebooks; no server needed."""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from mindinsight_like import items
from mindinsight_like.conf.settings import Settings
from mindinsight_like.errors import RunNotFound
from mindinsight_like.graph_tables import nodes_table
from mindinsight_like.item_tables import ItemTables, coded
from mindinsight_like.items import ItemKind, ItemSeries, read_items
from mindinsight_like.loader.lock import AlreadyLocked
from mindinsight_like.loader.once import load_index
from mindinsight_like.store.location import IndexLocation
from mindinsight_like.store.reading import IndexReader
from mindinsight_like.values.answer_curves import PrCurve, RocCurve

if TYPE_CHECKING:
    import pandas as pd

    from mindinsight_like.profiler.results.analyses import Analyses
    from mindinsight_like.profiler.results.tables import Profile

T = TypeVar("T")
_Chosen = str | Iterable[str] | None  # names, one or several; None: all there are


class Runs:
    """All runs below a folder. Opening it loads what is new; the index in the workspace is shared with the service."""

    def __init__(self, folder: Path, workspace: Path, store_url: str) -> None:
        if not folder.is_dir():
            raise FileNotFoundError(f"there is no folder {folder}")
        self._location = IndexLocation.of(folder, workspace, store_url)
        self._reader = IndexReader(self._location)
        self.refresh()

    def refresh(self) -> None:
        """Load what was logged since the last look."""
        # A service that follows this folder holds the lock and does the loading itself.
        with contextlib.suppress(AlreadyLocked):
            load_index(self._location)

    def __len__(self) -> int:
        return self._reader.runs(limit=0)[0]

    def __repr__(self) -> str:
        return f"<{len(self)} runs below {self._location.base_dir}>"

    def lineage_records(self) -> list[tuple[str, float, str]]:
        """Name, time of the last change and lineage record (JSON) of each run that has one, by name."""
        facts = {each.id: each for each in self._reader.run_facts()}
        found = [
            (facts[run], self._reader.lineage_record(run)) for run in self._reader.lineage_summaries() if run in facts
        ]
        return sorted((each.name, each.updated_at, record) for each, record in found if record)

    def lineage(self, query: str = "", *, columns: Iterable[str] | None = None, sort: str = "run") -> pd.DataFrame:
        """One row per run with the parameters, data, code and results it is known by.

        `query` is in the language of the search box: `metric/accuracy > 0.9 and optimizer = "Adam"`. `columns` may
        name scalars too: `scalar/loss/min`. Comparing a column of texts with a number is warned of.
        """
        import pandas as pd

        from mindinsight_like.lineage.queries import in_vain, matching
        from mindinsight_like.lineage.run_table import RunTables
        from mindinsight_like.lineage.scalar_columns import ScalarColumns
        from mindinsight_like.store.annotations import Annotations

        found = RunTables(self._reader, Annotations(self._location)).get()
        names = None if columns is None else _listed(columns)
        table = ScalarColumns(self._reader, found).added([name for name in names or () if name.startswith("scalar/")])
        rows = matching(table, query=query, sort=sort).tolist()
        for each in in_vain(table, query=query):
            warnings.warn(str(each.described()["message"]), stacklevel=2)
        shown = ["run", *(table.names if names is None else names)]
        return pd.DataFrame({name: [table.column(name).values[row] for row in rows] for name in dict.fromkeys(shown)})

    def table(self) -> pd.DataFrame:
        """One row per run, by name: what wrote it, when, its size, how many tags of each kind it has, its lineage."""
        import pandas as pd

        _, runs = self._reader.runs()
        rows = [
            {
                "run": run.name,
                "dialects": ",".join(run.dialects),
                "created_at": pd.Timestamp(run.created_at, unit="s", tz="UTC"),
                "updated_at": pd.Timestamp(run.updated_at, unit="s", tz="UTC"),
                "bytes": run.bytes,
                "warnings": run.warning_count,
                **run.counts,
            }
            for run in runs
        ]
        columns = ["run", "dialects", "created_at", "updated_at", "bytes", "warnings"]
        kinds = list(dict.fromkeys(kind for run in runs for kind in run.counts))
        table = pd.DataFrame(rows, columns=[*columns, *kinds])
        table = table.fillna(dict.fromkeys(kinds, 0)).astype(dict.fromkeys(kinds, "int64"))
        if not rows:
            return table
        lineage = self.lineage()
        return table.merge(lineage.drop(columns=[*columns[1:5], *kinds], errors="ignore"), on="run", how="left")

    def scalars(
        self,
        tag: str | Iterable[str] | None = None,
        run: str | Iterable[str] | None = None,
        *,
        resume: str = "latest",
    ) -> pd.DataFrame:
        """Every point of the chosen tags and runs (all when not given): run, tag, step, wall_time, value.

        A sixth column `source` is there when several curves share a run and tag, as with `add_scalars` or several
        ranks in one folder. `resume="all"` gives also the points that a resumed training wrote again.
        """
        import numpy as np
        import pandas as pd

        names = self._chosen(run)
        tags = _listed(tag) if tag is not None else [each.tag for each in self._reader.scalar_tags(list(names))]
        curves = self._reader.scalars(list(names), tags, max_points=None, resume=resume) if names else []
        lengths = [len(curve.steps) for curve in curves]

        def repeated(values: list[str]) -> Any:
            # Few names, many points: categories keep the table small.
            return pd.Categorical.from_codes(*coded(values, lengths))

        columns: dict[str, Any] = {
            "run": repeated([names[curve.run] for curve in curves]),
            "tag": repeated([curve.tag for curve in curves]),
            "step": np.concatenate([curve.steps for curve in curves]) if curves else np.zeros(0, np.int64),
            "wall_time": np.concatenate([curve.wall_times for curve in curves]) if curves else np.zeros(0),
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
        from mindinsight_like.trials import read_trials, trial_table

        chosen = None if run is None else list(self._chosen(run))
        return trial_table(read_trials(self._reader, chosen, reduction=metric))

    def graphs(self, graph: _Chosen = None, run: _Chosen = None, *, attributes: bool = True) -> pd.DataFrame:
        """Every node of the computation graphs, as `graph_tables.nodes_table` describes it.

        `graph` chooses by the names of files or tags. Reading attributes takes most of the time of a large graph.
        """
        names = self._chosen(run)
        chosen = None if graph is None else set(_listed(graph))
        return nodes_table(self._reader, names, chosen, attributes=attributes)

    def profiles(self, run: _Chosen = None) -> pd.DataFrame:
        """One row per profile: id, run, session, rank, device, tool, name, bytes, steps, started_at, state.

        What is only known of analysed profiles (`state` is "ready") is missing for others.
        """
        from mindinsight_like.profiler.results.tables import profiles_table

        return profiles_table(self._analyses(), self._chosen(run))

    def profile(self, id: str) -> Profile:
        """One profile, analysed unless that is done already: `.operators()`, `.steps()`, `.summary()`."""
        from mindinsight_like.profiler.results.tables import Profile

        return Profile(self._analyses(), id)

    def _analyses(self) -> Analyses:
        from mindinsight_like.profiler.results.analyses import Analyses

        return Analyses(Settings.from_environment(os.environ), lambda: self._reader)

    def _items(
        self, kind: ItemKind[T], tag: _Chosen, run: _Chosen, resume: str
    ) -> tuple[ItemTables, list[ItemSeries[T]]]:
        names = self._chosen(run)
        tags = None if tag is None else _listed(tag)
        series = read_items(self._reader, kind, list(names), tags, resume=resume) if names else []
        return ItemTables(self._reader, names), series

    def _chosen(self, run: str | Iterable[str] | None) -> dict[str, str]:
        """Names of the chosen runs by id."""
        known = {each.name: each.id for each in self._reader.runs()[1]}
        wanted = list(known) if run is None else _listed(run)
        for name in wanted:
            if name not in known:
                raise RunNotFound(f"there is no run {name!r} below {self._location.base_dir}", run=name)
        return {known[name]: name for name in wanted}


def open_runs(folder: str | Path, *, workspace: str | Path | None = None, store_url: str | None = None) -> Runs:
    """The runs below a folder; workspace and store default to those of the service's settings."""
    settings = Settings.from_environment(os.environ)
    return Runs(
        Path(folder).expanduser(),
        settings.workspace if workspace is None else Path(workspace).expanduser(),
        settings.store_url if store_url is None else store_url,
    )


def _listed(names: str | Iterable[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)
