"""Numbers in JSON."""

from __future__ import annotations

import json
import math

import numpy as np
import orjson
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from mindinsight_like.tables.json_numbers import column, number

WORDS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def read_back(values):
    written = orjson.dumps(column(values), option=orjson.OPT_SERIALIZE_NUMPY)
    return [WORDS.get(item, item) for item in json.loads(written)]


@given(hnp.arrays(st.sampled_from([np.float32, np.float64]), st.integers(0, 20)))
def test_every_value_comes_back_exactly(values):
    expected = values.astype(np.float64)

    np.testing.assert_array_equal(read_back(values), expected)


def test_a_column_that_is_not_contiguous_is_written_too():
    assert read_back(np.arange(10)[::2]) == [0, 2, 4, 6, 8]
    assert read_back(np.arange(10, dtype=np.float32)[::-3]) == [9, 6, 3, 0]


def test_single_numbers_follow_the_same_words():
    assert [number(value) for value in (1.5, None, math.nan, math.inf, -math.inf)] == [
        1.5, None, "NaN", "Infinity", "-Infinity",
    ]  # fmt: skip
