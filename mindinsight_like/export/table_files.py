"""Incremental table writers: CSV, Parquet, or columns in a .npz file.

Every table has the columns run, tag, source, step, wall_time; then come those of its kind.
"""

from __future__ import annotations

import shutil
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any
from zipfile import ZipFile

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from mindinsight_like.tables.json_numbers import NON_FINITE
from mindinsight_like.tables.scalar_tables import cell

Columns = Mapping[str, Any]  # Arrow arrays of the same length

_WORDS = ("run", "tag", "source")
_ROWS_OF_GROUP = 262_144
_IN_MEMORY = 8 * 2**20


class TableFile(ABC):
    """Takes rows that share run, tag and source."""

    @abstractmethod
    def add(self, run: str, tag: str, source: str, columns: Columns) -> None: ...

    @abstractmethod
    def close(self) -> None:
        """Write what is still missing; the file itself stays open."""


class CsvFile(TableFile):
    """Numbers are written so that they read back as the very same ones."""

    def __init__(self, file: IO[bytes], schema: Any, *, words: Sequence[str] = _WORDS) -> None:
        self._file = file
        self._words = words
        file.write((",".join([*words, *schema.names]) + "\n").encode())

    def add(self, run: str, tag: str, source: str, columns: Columns) -> None:
        # The words are the same in every row; joined by Arrow, the text of all rows lies in one buffer.
        words = {"run": run, "tag": tag, "source": source}
        before = _word(",".join(cell(words[name]) for name in self._words))
        texts = [_text(column) for column in columns.values()]
        lines = pc.binary_join_element_wise(before, *texts, _word(","), null_handling="replace", null_replacement="")
        ended = pc.binary_join_element_wise(lines, _word(""), _word("\n"))
        if len(ended):
            self._file.write(ended.buffers()[2])

    def close(self) -> None:
        """Nothing is held back."""


def _word(text: str) -> Any:
    return pa.scalar(text, pa.large_string())


def _text(column: Any) -> Any:
    """A column as cells; numbers that are not finite are the words they are in JSON."""
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        return pa.array([None if text is None else cell(text) for text in column.to_pylist()], pa.large_string())
    texts = pc.cast(column, pa.large_string())
    if pa.types.is_floating(column.type) and not pc.all(pc.is_finite(column)).as_py():
        tests = (pc.is_nan(column), pc.equal(column, np.inf), pc.equal(column, -np.inf))
        for is_word, word in zip(tests, NON_FINITE, strict=True):
            texts = pc.if_else(is_word, _word(word), texts)
    return texts


class ParquetFile(TableFile):
    def __init__(self, file: IO[bytes], schema: Any) -> None:
        word = pa.dictionary(pa.int32(), pa.string())
        self._schema = pa.schema([*((name, word) for name in _WORDS), *schema])
        self._writer = pq.ParquetWriter(file, self._schema)
        self._held: list[Any] = []

    def add(self, run: str, tag: str, source: str, columns: Columns) -> None:
        rows = len(next(iter(columns.values())))
        same = pa.array(np.zeros(rows, np.int32))
        words = [pa.DictionaryArray.from_arrays(same, pa.array([word])) for word in (run, tag, source)]
        self._held.append(pa.record_batch([*words, *columns.values()], schema=self._schema))
        # Small groups of rows would make the file large and slow, as one for each of thousands of tags.
        if sum(batch.num_rows for batch in self._held) >= _ROWS_OF_GROUP:
            self._flush()

    def close(self) -> None:
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        if self._held:
            table = pa.Table.from_batches(self._held, self._schema).unify_dictionaries()
            self._writer.write_table(table, row_group_size=_ROWS_OF_GROUP)
            self._held = []


class NumpyColumns(TableFile):
    """A .npz file with an array for each column; one of lists is all of them end to end, with their lengths beside.

    An array's length stands before its numbers, so that they wait until all are there: outside memory if they are many.
    """

    def __init__(self, file: IO[bytes], folder: Path) -> None:
        self._file = file
        self._folder = folder
        self._columns: dict[str, tuple[np.dtype[Any], IO[bytes]]] = {}

    def add(self, run: str, tag: str, source: str, columns: Columns) -> None:
        for name, column in columns.items():
            if pa.types.is_list(column.type):
                self._append(name, column.flatten().to_numpy(zero_copy_only=False))
                lengths = pc.fill_null(pc.list_value_length(column), 0)
                self._append(f"{name}_lengths", lengths.to_numpy(zero_copy_only=False).astype(np.int64))
            else:
                self._append(name, column.to_numpy(zero_copy_only=False))

    def _append(self, name: str, values: NDArray[Any]) -> None:
        if name not in self._columns:
            buffer: Any = tempfile.SpooledTemporaryFile(_IN_MEMORY, dir=str(self._folder))  # noqa: SIM115 - see `close`
            self._columns[name] = values.dtype, buffer
        self._columns[name][1].write(np.ascontiguousarray(values, self._columns[name][0]).tobytes())

    def close(self) -> None:
        with ZipFile(self._file, "w") as archive:
            for name, (dtype, buffer) in self._columns.items():
                with buffer, archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    shape = (buffer.tell() // dtype.itemsize,)
                    description = np.lib.format.dtype_to_descr(dtype)
                    np.lib.format.write_array_header_1_0(
                        member, {"descr": description, "fortran_order": False, "shape": shape}
                    )
                    buffer.seek(0)
                    shutil.copyfileobj(buffer, member, 2**20)
