"""Parameters: what is allowed is taken exactly, everything else is named and refused."""

from __future__ import annotations

import pytest

from mindinsight_like.errors import BadParameter
from mindinsight_like.http.parameters import Params, Repeated, choice, fraction, text, whole, whole_or_all, words

OFFSET = whole("offset", "", default=0, lowest=0)
STEP = whole("step", "", default=None)
POINTS = whole_or_all("max_points", "", default=1000, lowest=1)
SMOOTHING = fraction("smoothing", "", highest=0.999)
RESUME = choice("resume", "", ("latest", "all"), default="latest")
SEARCH = text("search", "")
RUN = Repeated("run", "", required=True)
ALL = (OFFSET, STEP, POINTS, SMOOTHING, RESUME, SEARCH, RUN)


@pytest.mark.parametrize(
    ("parameter", "written", "value"),
    [
        (OFFSET, ["7"], 7),
        (OFFSET, None, 0),
        (STEP, ["-9223372036854775808"], -(2**63)),
        (STEP, None, None),
        (POINTS, ["all"], None),
        (POINTS, ["1"], 1),
        (POINTS, None, 1000),
        (SMOOTHING, ["0.6"], 0.6),
        (SMOOTHING, None, 0.0),
        (RESUME, ["all"], "all"),
        (SEARCH, ["ü &"], "ü &"),
        (RUN, ["a", "b", "a"], ["a", "b"]),
        (RUN, [], []),
    ],
)
def test_allowed_values_are_taken(parameter, written, value):
    texts = {"run": ["a"]} | ({} if written is None else {parameter.name: written})

    assert Params(texts, ALL)[parameter] == value


@pytest.mark.parametrize(
    ("parameter", "written"),
    [(OFFSET, text) for text in ("-1", "", "1.0", "1e3", "1_000", "٣", " 1", "0x1", "9223372036854775808", "9" * 5000)]
    + [(STEP, "-9223372036854775809"), (POINTS, "0"), (POINTS, "ALL"), (POINTS, "none"), (RESUME, "newest")]
    + [(SMOOTHING, text) for text in ("1", "-0.1", "nan", "inf", "x", "")],
)
def test_other_values_are_refused_by_name_and_with_what_is_allowed(parameter, written):
    with pytest.raises(BadParameter) as refused:
        Params({parameter.name: [written]}, ALL)[parameter]

    assert refused.value.details["parameter"] == parameter.name
    assert parameter.allowed in str(refused.value)
    assert len(str(refused.value)) < 300


def test_a_single_value_may_not_be_given_twice():
    with pytest.raises(BadParameter, match="parameter 'offset' may occur only once"):
        Params({"offset": ["1", "2"]}, ALL)[OFFSET]


def test_a_needed_value_is_asked_for():
    with pytest.raises(BadParameter, match="missing required parameter 'run'"):
        Params({}, ALL)[RUN]


def test_a_wrong_value_is_refused_also_where_nobody_looks_at_it():
    with pytest.raises(BadParameter, match="smoothing"):
        Params({"run": ["a"], "smoothing": ["2"]}, ALL)


def test_searches_have_few_words():
    search = words("q", "")

    assert Params({"q": ["a " * 50]}, (search,))[search] == "a " * 50
    for too_much in ("a " * 51, "a" * 501):
        with pytest.raises(BadParameter, match="at most 50 words"):
            Params({"q": [too_much]}, (search,))


def test_a_misspelt_name_is_refused_and_the_right_ones_are_listed():
    with pytest.raises(BadParameter, match=r"unknown parameter 'max_point'; expected: offset, step, max_points"):
        Params({"max_point": ["1"]}, ALL)
