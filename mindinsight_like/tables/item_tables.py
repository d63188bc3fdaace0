"""Images, histograms, texts and the like as pandas tables."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.errors import ServiceError
from mindinsight_like.items.series import Item, ItemSeries, read_file
from mindinsight_like.store.blobs import Reference
from mindinsight_like.store.reader import IndexReader
from mindinsight_like.tables.timestamps import time_column
from mindinsight_like.values.audio import Sound
from mindinsight_like.values.embeddings.embeddings import Embedding
from mindinsight_like.values.file_types import WAV
from mindinsight_like.values.histograms import Histogram
from mindinsight_like.values.images import Picture
from mindinsight_like.values.landscapes import Landscape
from mindinsight_like.values.meshes import MeshPart
from mindinsight_like.values.pr_curves import PrCurve, RocCurve
from mindinsight_like.values.tensors.tensor_statistics import Statistics
from mindinsight_like.values.tensors.tensors import TensorSummary
from mindinsight_like.values.texts import Text

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")

_NULLABLE = "Int64"  # whole numbers of which some may be missing
_LARGEST_SHOWN = 16 * 2**20  # bytes of a picture or sound that a notebook embeds


@dataclass(frozen=True, repr=False)
class LoggedFile:
    """A picture or sound that is still in its log file."""

    _reader: IndexReader
    _reference: Reference

    def read(self) -> bytes:
        """The file's bytes; raises BlobGone when the log file has changed or gone since it was loaded."""
        return read_file(self._reader, self._reference).data

    def __repr__(self) -> str:
        return f"<{type(self).__name__}, {self._reference.length:,} bytes>"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """What notebooks show: the picture itself, a player for a sound, else the text."""
        text = {"text/plain": repr(self)}
        if self._reference.length > _LARGEST_SHOWN:
            return text
        try:
            file = read_file(self._reader, self._reference)
        except ServiceError as error:
            return {"text/plain": f"{self!r}: {error}"}
        if file.content_type is None:
            return text
        content = base64.b64encode(file.data).decode()
        if file.content_type == WAV:
            return text | {"text/html": f'<audio controls src="data:{WAV};base64,{content}"></audio>'}
        return text | {file.content_type: content}


class LoggedArray(LoggedFile):
    """The numbers of a tensor that are still in their log file."""

    def array(self) -> NDArray[Any]:
        """The numbers; raises BlobGone when the log file has changed or gone since it was loaded."""
        array: NDArray[Any] = np.load(io.BytesIO(self.read()), allow_pickle=False)
        return array


class ItemTables:
    """Makes tables of series; `names` gives each run's name by its id."""

    def __init__(self, reader: IndexReader, names: Mapping[str, str]) -> None:
        self._reader = reader
        self._names = names

    def images(self, series: Sequence[ItemSeries[Picture]], *, read: bool) -> pd.DataFrame:
        columns = self._attributes(series, _names_of(Picture), whole=True)
        return self._table(series, {"index": _parts(series), **columns, "image": self._files(series, read=read)})

    def sounds(self, series: Sequence[ItemSeries[Sound]], *, read: bool) -> pd.DataFrame:
        columns = self._attributes(series, ("sample_rate", "channels", "frames"), whole=True)
        columns |= self._attributes(series, ("label",))
        return self._table(series, {"index": _parts(series), **columns, "sound": self._files(series, read=read)})

    def texts(self, series: Sequence[ItemSeries[Text]]) -> pd.DataFrame:
        return self._table(series, {"index": _parts(series), **self._attributes(series, _names_of(Text))})

    def histograms(self, series: Sequence[ItemSeries[Histogram]]) -> pd.DataFrame:
        return self._table(series, self._attributes(series, _names_of(Histogram)))

    def tensors(self, series: Sequence[ItemSeries[TensorSummary]], *, read: bool) -> pd.DataFrame:
        columns = self._attributes(series, ("dtype", "shape"))
        statistics = [item.value.statistics if item.value else None for item in _items(series)]
        for name in _names_of(Statistics):
            values = [getattr(each, name) if each else None for each in statistics]
            columns[name] = _whole(values) if name in ("nan", "pos_inf", "neg_inf") else np.array(values, np.float64)
        arrays: list[Any] = [
            LoggedArray(self._reader, item.reference) if item.value and item.value.dtype != "string" else None
            for item in _items(series)
        ]
        columns["tensor"] = [each.array() if each else None for each in arrays] if read else arrays
        return self._table(series, columns)

    def curves(self, series: Sequence[ItemSeries[Any]], kind: type[PrCurve | RocCurve]) -> pd.DataFrame:
        """One row per threshold; a curve that could not be read has none."""
        curves = [item.value for item in _items(series) if item.value is not None]
        columns = {}
        for name in _names_of(kind):
            values = [getattr(curve, name) for curve in curves]
            columns["threshold" if name == "thresholds" else name] = np.concatenate([np.zeros(0), *values])
        return self._long_table(series, [len(curve.thresholds) for curve in curves], columns)

    def embeddings(self, series: Sequence[ItemSeries[Embedding]]) -> pd.DataFrame:
        """One row per point; an embedding that could not be read has none."""
        embeddings = [item.value for item in _items(series) if item.value is not None]
        columns = {
            "labels": [labels for each in embeddings for labels in each.labels],
            "vector": [vector for each in embeddings for vector in each.vectors],
        }
        return self._long_table(series, [len(each.labels) for each in embeddings], columns)

    def meshes(self, series: Sequence[ItemSeries[MeshPart]], *, read: bool) -> pd.DataFrame:
        columns = self._attributes(series, _names_of(MeshPart))
        arrays = [LoggedArray(self._reader, item.reference) if item.value else None for item in _items(series)]
        columns["array"] = [each.array() if each else None for each in arrays] if read else arrays
        return self._table(series, columns)

    def landscapes(self, series: Sequence[ItemSeries[Landscape]]) -> pd.DataFrame:
        return self._table(series, self._attributes(series, _names_of(Landscape)))

    def _long_table(
        self, series: Sequence[ItemSeries[Any]], lengths: Sequence[int], columns: Mapping[str, Any]
    ) -> pd.DataFrame:
        """Several rows for each item that could be read."""
        items = self._table([_only_good(each) for each in series], {})
        table = items.loc[np.repeat(np.arange(len(items)), lengths)].reset_index(drop=True).assign(**columns)
        if "source" in table:
            table["source"] = table.pop("source")  # the last one, as in every table
        return table

    def _table(self, series: Sequence[ItemSeries[T]], columns: Mapping[str, Any]) -> pd.DataFrame:
        import pandas as pd

        lengths = [len(each.items) for each in series]

        def repeated(values: list[str]) -> Any:
            return pd.Categorical.from_codes(*coded(values, lengths))

        items = _items(series)
        table: dict[str, Any] = {
            "run": repeated([self._names[each.run] for each in series]),
            "tag": repeated([each.tag for each in series]),
            "step": np.array([item.step for item in items], np.int64),
            "wall_time": time_column([item.wall_time for item in items]),
            **columns,
        }
        if any(item.error is not None for item in items):
            table["error"] = [item.error for item in items]
        if any(each.source for each in series):
            table["source"] = repeated([each.source for each in series])
        return pd.DataFrame(table)

    def _attributes(
        self, series: Sequence[ItemSeries[T]], names: Sequence[str], *, whole: bool = False
    ) -> dict[str, Any]:
        columns = {name: [getattr(item.value, name, None) for item in _items(series)] for name in names}
        return {name: _whole(values) if whole else values for name, values in columns.items()}

    def _files(self, series: Sequence[ItemSeries[T]], *, read: bool) -> list[LoggedFile | bytes | None]:
        files = [
            LoggedFile(self._reader, item.reference) if item.value is not None else None for item in _items(series)
        ]
        return [each.read() if each and read else each for each in files]


def coded(values: Sequence[str], lengths: Sequence[int]) -> tuple[NDArray[np.int32], list[str]]:
    """Codes of values repeated `lengths` times, and the distinct values they stand for."""
    distinct = list(dict.fromkeys(values))
    place = {value: code for code, value in enumerate(distinct)}
    return np.repeat(np.array([place[value] for value in values], np.int32), lengths), distinct


def _items(series: Sequence[ItemSeries[T]]) -> list[Item[T]]:
    return [item for each in series for item in each.items]


def _only_good(series: ItemSeries[Any]) -> ItemSeries[Any]:
    items = [item for item in series.items if item.error is None]
    return ItemSeries(series.run, series.tag, series.source, series.total_steps, items, series.superseded)


def _parts(series: Sequence[ItemSeries[T]]) -> NDArray[np.int64]:
    return np.array([item.reference.part for item in _items(series)], np.int64)


def _names_of(kind: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def _whole(values: Sequence[int | None]) -> Any:
    import pandas as pd

    return pd.array(list(values), _NULLABLE)
