"""The language of the search box: what it means, and where it says that something is wrong."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindinsight_like.lineage.columns import Table
from mindinsight_like.lineage.query.completion import complete
from mindinsight_like.lineage.query.conditions import All, AnyOf, Comparison, Missing, Not, evaluate
from mindinsight_like.lineage.query.parser import parse
from mindinsight_like.lineage.query.problems import PROBLEMS, WANTED, BadQuery

WORDS = Path(__file__).parents[2] / "ui/src/i18n"

ROWS: list[dict[str, Any]] = [
    {"run": "sweep/a", "optimizer": "Adam", "hparam/lr": 0.001, "metric/accuracy": 0.95, "epoch": 10},
    {"run": "sweep/b", "optimizer": "SGD", "hparam/lr": 0.0001, "metric/accuracy": 0.91, "epoch": 20},
    {"run": "resnet", "optimizer": "Adam", "hparam/lr": 0.01, "metric/accuracy": 0.5, "user_defined/top 1": 3},
    {"run": "empty"},
]
TABLE = Table(ROWS)


def found(query: str) -> list[str]:
    mask = evaluate(parse(query, TABLE), TABLE)
    return [row["run"] for row, is_kept in zip(ROWS, mask.tolist(), strict=True) if is_kept]


@pytest.mark.parametrize(
    ("query", "runs"),
    [
        ("", ["sweep/a", "sweep/b", "resnet", "empty"]),
        ('metric/accuracy > 0.9 and optimizer = "Adam" and lr in [1e-3, 1e-4]', ["sweep/a"]),
        ("accuracy >= 0.91 or epoch = 10", ["sweep/a", "sweep/b"]),
        ("not optimizer = Adam", ["sweep/b", "empty"]),
        ("optimizer != Adam", ["sweep/b"]),
        ("lr not in (0.001, 0.01)", ["sweep/b"]),
        ("epoch is missing", ["resnet", "empty"]),
        ("epoch is not missing", ["sweep/a", "sweep/b"]),
        ("optimizer contains dam", ["sweep/a", "resnet"]),
        ("sweep", ["sweep/a", "sweep/b"]),
        ("sweep epoch < 15", ["sweep/a"]),
        ("'eep/b'", ["sweep/b"]),
        ("`user_defined/top 1` = 3", ["resnet"]),
        ("`top 1` < 4", ["resnet"]),
        ("EPOCH = 10 OR Epoch = 20", ["sweep/a", "sweep/b"]),
        ("optimizer < B", ["sweep/a", "resnet"]),
        ("epoch = '10'", []),
        ("lr in []", []),
        ("(sweep or resnet) and not (lr < 0.001)", ["sweep/a", "resnet"]),
        ("（epoch ＝ 10 or lr ＞＝ 0.01） and optimizer = “Adam”", ["sweep/a", "resnet"]),
        ("optimizer ！= ‘Adam’ or lr in 【0.001，0.01】", ["sweep/a", "sweep/b", "resnet"]),
        ("accuracy ≥ 0.91　lr≤0.0001", ["sweep/b"]),
        ('optimizer = "（Adam）"', []),
    ],
)
def test_queries_keep_the_runs_they_describe(query: str, runs: list[str]) -> None:
    assert found(query) == runs


def test_and_binds_closer_than_or() -> None:
    assert parse("epoch = 1 or epoch = 2 and lr = 3", TABLE) == AnyOf(
        (
            Comparison("epoch", "eq", 1),
            All((Comparison("epoch", "eq", 2), Comparison("hparam/lr", "eq", 3))),
        )
    )
    assert parse("not not lr is missing", TABLE) == Not(Not(Missing("hparam/lr")))


@pytest.mark.parametrize(
    ("query", "position", "words"),
    [
        ("accuracy >", 10, "incomplete: expected a value"),
        ('optimizer = "Adam', 12, "missing closing"),
        ("epoch = 3 and", 13, "a column"),
        ("(epoch = 3", 10, "closing parenthesis"),
        ("epoch = 3)", 9, "unexpected"),
        ("acuracy > 1", 0, "did you mean accuracy"),
        ("lr in 3", 6, "list in square brackets"),
        ("lr in [1 2]", 9, "expected a comma or"),
        ("lr > true", 5, "can only be compared with = and !="),
        ("epoch = 3 ! 4", 10, "invalid token"),
        ("epoch is 3", 9, "missing"),
        ("optimizer = “Adam", 12, "missing closing"),
        ('run = "运行" and 精度 > 1', 15, "unknown column '精度'"),
        ("scalar/loss > 1", 0, "unknown column 'scalar/loss'"),
        ("(" * 60 + "epoch = 1" + ")" * 60, 50, "levels"),
    ],
)
def test_errors_point_at_the_place(query: str, position: int, words: str) -> None:
    with pytest.raises(BadQuery) as caught:
        parse(query, TABLE)
    assert caught.value.position == position
    assert words in str(caught.value)


def words_of_the_page(area: str) -> list[dict[str, str]]:
    """What the page says by name, in English and in Chinese."""
    files = [(WORDS / language / f"workspace/{area}.ts").read_text("utf-8") for language in ("en", "zh")]
    bodies = [file.partition("= {\n")[2] for file in files]
    return [dict(re.findall(r"^  (\w+):\s+(.+?),$", body, re.MULTILINE | re.DOTALL)) for body in bodies]


@pytest.mark.parametrize(("kind", "names"), [("queryProblems", PROBLEMS), ("queryExpected", WANTED)])
def test_every_problem_has_words_in_both_languages(kind: str, names: tuple[str, ...]) -> None:
    english, chinese = words_of_the_page(kind)

    assert set(english) == set(chinese) == set(names)
    assert all(re.search("[\u4e00-\u9fff]", words) for words in chinese.values())


def test_errors_name_the_problem_and_what_it_is_about() -> None:
    details = []
    for query in ("qqq > 1", "lr in [1 2]"):
        with pytest.raises(BadQuery) as caught:
            parse(query, TABLE)
        details.append(caught.value.details)

    assert details == [
        {"position": 0, "length": 3, "problem": "unknown_column", "name": "qqq", "near": []},
        {"position": 9, "length": 1, "problem": "other_expected", "wanted": "comma_or_end", "of": "]", "text": "2"},
    ]


def test_a_short_name_that_fits_two_columns_names_both() -> None:
    with pytest.raises(BadQuery, match="metric/loss or hparam/loss"):
        parse("loss < 1", Table([{"metric/loss": 1, "hparam/loss": 1}]))


@given(st.text(max_size=80) | st.text("lr><=!()[],.'\"` andornotinis01e-", max_size=80))
def test_any_text_is_either_understood_or_refused(query: str) -> None:
    try:
        condition = parse(query, TABLE)
    except BadQuery as error:
        assert 0 <= error.position <= len(query)
    else:
        assert len(evaluate(condition, TABLE)) == len(ROWS)


@pytest.mark.parametrize(
    ("before", "label", "written"),
    [
        ("", "optimizer", "optimizer"),
        ("", "user_defined/top 1", "`user_defined/top 1`"),
        ("epoch > 1 and acc", "metric/accuracy", "metric/accuracy"),
        ("optimizer ", "contains", "contains"),
        ("epoch ", "<=", "<="),
        ("optimizer = ", "Adam", '"Adam"'),
        ('optimizer = "S', "SGD", '"SGD"'),
        ("lr in [0.001, ", "0.01", "0.01"),
        ("epoch = 10 ", "and", "and"),
        ("lr is ", "missing", "missing"),
    ],
)
def test_completion_offers_what_fits(before: str, label: str, written: str) -> None:
    offered = {each.label: each.text for each in complete(before, len(before), TABLE).suggestions}
    assert offered.get(label) == written


def test_completion_replaces_what_was_typed() -> None:
    completion = complete("epoch > 1 and opt", 17, TABLE)
    assert (completion.begin, completion.end) == (14, 17)
    assert [each.text for each in completion.suggestions] == ["optimizer"]
