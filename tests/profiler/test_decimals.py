"""Exact decimals of text files."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from mindinsight_like.profiler.traces.readers.tables import decimals

NUMBERS = st.one_of(
    st.decimals(-(10**14), 10**14, places=3).map(str),
    st.decimals(0, 10**15, places=3).map(lambda value: f" {value}\t"),
    st.integers(-(10**15), 10**15).map(str),
    st.floats(-1e12, 1e12).map(repr),
)


@given(st.lists(NUMBERS, max_size=20), st.sampled_from([0, 3, 6]))
def test_decimals_are_those_of_the_slow_library_cut_to_whole_numbers(cells: list[str], digits: int) -> None:
    values, is_given = decimals(cells, digits)

    expected = [int(Decimal(cell.strip()).scaleb(digits)) for cell in cells]
    usable = [abs(value) < 2**62 for value in expected]
    assert is_given.tolist() == usable
    assert values.tolist() == [value if good else 0 for value, good in zip(expected, usable, strict=True)]


@given(st.lists(st.text(max_size=60), max_size=10))
def test_any_text_is_a_number_or_none(cells: list[str]) -> None:
    values, is_given = decimals(cells, 3)

    assert len(values) == len(is_given) == len(cells)
    assert not values[~is_given].any()
