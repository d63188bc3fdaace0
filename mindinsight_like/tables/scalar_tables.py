"""Scalar series as tables, one row per point: CSV and Arrow streams, in chunks of bounded size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from mindinsight_like.store.result_types import Curve
from mindinsight_like.tables.json_numbers import NON_FINITE

CSV = "text/csv"
ARROW = "application/vnd.apache.arrow.stream"

_ROWS = 65_536  # of one piece; some megabytes of text
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def csv_pieces(curves: Iterable[Curve], names: Mapping[str, str], *, smoothed: bool) -> Iterator[bytes]:
    """CSV text: a header, then the rows of each curve. `names` gives each run's name by its id."""
    import pyarrow as pa
    import pyarrow.csv

    numbers = ["step", "wall_time", "value", *(["smoothed"] if smoothed else [])]
    yield (",".join(["run", "tag", "source", *numbers, "run_id"]) + "\n").encode()
    options = pyarrow.csv.WriteOptions(include_header=False, quoting_style="none")
    for curve in curves:
        # The texts are the same in every row, so only the numbers are written row by row.
        before = ",".join(map(cell, (names.get(curve.run, curve.run), curve.tag, curve.source, ""))).encode()
        after = f",{cell(curve.run)}\n".encode()
        for columns in _slices(curve, smoothed=smoothed):
            sink = pa.BufferOutputStream()
            pyarrow.csv.write_csv(pa.table({name: _text_column(columns[name]) for name in numbers}), sink, options)
            rows: bytes = sink.getvalue().to_pybytes()
            yield before + rows[:-1].replace(b"\n", after + before) + after


def arrow_pieces(curves: Iterable[Curve], names: Mapping[str, str], *, smoothed: bool) -> Iterator[bytes]:
    """An Arrow IPC stream with the columns of the CSV, values as doubles."""
    import pyarrow as pa

    word = pa.dictionary(pa.int32(), pa.string())
    fields = [("run", word), ("tag", word), ("source", word), ("step", pa.int64()), ("wall_time", pa.float64())]
    fields += [("value", pa.float64()), *([("smoothed", pa.float64())] if smoothed else []), ("run_id", word)]
    schema = pa.schema(fields)
    sink = _Pieces()
    with pa.ipc.new_stream(sink, schema) as stream:
        yield sink.take()
        for curve in curves:
            texts = {"run": names.get(curve.run, curve.run), "tag": curve.tag, "source": curve.source}
            texts["run_id"] = curve.run
            for numbers in _slices(curve, smoothed=smoothed):
                same = np.zeros(len(numbers["step"]), np.int32)
                columns: dict[str, Any] = {name: pa.array(values) for name, values in numbers.items()}
                for name, text in texts.items():
                    columns[name] = pa.DictionaryArray.from_arrays(same, pa.array([text], pa.string()))
                stream.write_batch(pa.record_batch([columns[name] for name in schema.names], schema=schema))
                yield sink.take()
    yield sink.take()


class _Pieces:
    """A file that only keeps what was written since the last `take`."""

    closed = False

    def __init__(self) -> None:
        self._written: list[bytes] = []

    def write(self, data: Any) -> int:
        piece = bytes(data)
        self._written.append(piece)
        return len(piece)

    def flush(self) -> None:
        """Nothing is held back."""

    def take(self) -> bytes:
        pieces, self._written = self._written, []
        return b"".join(pieces)


def _slices(curve: Curve, *, smoothed: bool) -> Iterator[dict[str, npt.NDArray[Any]]]:
    """The number columns of a curve, some rows at a time, floats widened so that they are exact as text."""
    columns = {"step": curve.steps, "wall_time": curve.wall_times, "value": curve.values}
    if smoothed and curve.smoothed is not None:
        columns["smoothed"] = curve.smoothed
    for start in range(0, len(curve.steps), _ROWS):
        part = {name: values[start : start + _ROWS] for name, values in columns.items()}
        yield {name: values.astype(np.float64) if values.dtype.kind == "f" else values for name, values in part.items()}


def _text_column(values: npt.NDArray[Any]) -> Any:
    """The column for the CSV writer, with the same words for non-finite numbers as in JSON."""
    import pyarrow as pa
    import pyarrow.compute as pc

    numbers = pa.array(values)
    if values.dtype.kind != "f" or np.isfinite(values).all():
        return numbers
    texts = pc.cast(numbers, pa.string())
    for is_word, word in zip((np.isnan(values), np.isposinf(values), np.isneginf(values)), NON_FINITE, strict=True):
        texts = pc.if_else(pa.array(is_word), word, texts)
    return texts


def cell(text: str) -> str:
    """The text as a CSV cell, marked as text where a spreadsheet would take it for a formula and run it."""
    if text.startswith(_FORMULA_STARTS):
        text = "'" + text
    if any(special in text for special in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text
