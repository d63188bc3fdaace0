"""The cells of CSV lines as columns: the native parser and its reference give the same, and Python's numbers."""

from __future__ import annotations

import math
import struct
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindinsight_like.native import implementation
from mindinsight_like.trackers.reference import cells as reference

_NATIVE = implementation("mindinsight_like.trackers._cells", "mindinsight_like.trackers.reference.cells")
_NUMBERS = st.one_of(
    st.floats().map(repr),
    st.tuples(st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 40)).map(
        lambda each: f"{each[0]:.{each[1]}e}"
    ),
    st.integers(-(1 << 80), 1 << 80).map(str),
    st.tuples(st.integers(0, 1 << 64), st.integers(-400, 400)).map(lambda each: f"{each[0]}e{each[1]}"),
    st.sampled_from(["+1", "-0", ".5", "5.", "-.5e3", "Infinity", "-inf", "NAN", "1" * 30, "0." + "0" * 30 + "1"]),
    # Exactly between two doubles, and beside it.
    st.integers(1 << 53, 1 << 60).map(lambda each: str(2 * each + 1)),
)
_BITS = struct.Struct("<d")


def _same(one: float, other: float) -> bool:
    return _BITS.pack(one) == _BITS.pack(other) or (math.isnan(one) and math.isnan(other))


@pytest.mark.parametrize("module", [_NATIVE, reference], ids=["native", "reference"])
@given(texts=st.lists(_NUMBERS, min_size=1, max_size=30))
def test_numbers_are_those_that_python_reads(module: ModuleType, texts: list[str]) -> None:
    data = "".join(f"{text} ; {text}\n" for text in texts).encode()
    values, kinds, starts, broken = module.read_cells(data, 0, len(data), ord(";"), 2)
    assert (kinds == reference.NUMBER).all()
    assert not len(broken)
    assert len(starts) == len(texts)
    for column in values:
        assert all(_same(value, float(text)) for value, text in zip(column.tolist(), texts, strict=True))


@given(
    data=st.binary(max_size=80) | st.text('0123456789.,;\t"\n\r eEnaif+-', max_size=80).map(str.encode),
    columns=st.integers(1, 4),
)
def test_native_cells_are_those_of_the_reference(data: bytes, columns: int) -> None:
    for separator in b",;\t":
        native = _NATIVE.read_cells(data, 0, len(data), separator, columns)
        expected = reference.read_cells(data, 0, len(data), separator, columns)
        assert native[1].tolist() == expected[1].tolist()
        assert native[2].tolist() == expected[2].tolist()
        assert native[3].tolist() == expected[3].tolist()
        is_number = expected[1] == reference.NUMBER
        assert np.array_equal(native[0][is_number], expected[0][is_number], equal_nan=True)


@pytest.mark.parametrize("text", ["1_000", "0x10", "1e", "e5", ".", "+", "--1", "1 2", "nano", "infinit", "1.2.3", "١"])
def test_other_texts_are_no_numbers(text: str) -> None:
    data = f"{text},1\n".encode()
    for module in (_NATIVE, reference):
        assert module.read_cells(data, 0, len(data), ord(","), 2)[1].tolist() == [[reference.TEXT], [reference.NUMBER]]


def test_parts_that_are_not_there_are_refused() -> None:
    for module in (_NATIVE, reference):
        for begin, end, columns in ((0, 9, 1), (2, 1, 1), (-1, 1, 1), (0, 1, 0)):
            with pytest.raises(ValueError, match="no such part"):
                module.read_cells(b"1,2\n", begin, end, ord(","), columns)
