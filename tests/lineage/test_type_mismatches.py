"""Which comparisons never match, as a column holds values of another kind."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import mindinsight_like as mi
from mindinsight_like.lineage.columns import Table
from mindinsight_like.lineage.query.search import type_mismatches
from mindinsight_like.lineage.query.type_mismatches import KINDS, Mismatch

TABLE = Table(
    [
        {"run": "a", "optimizer": "Adam", "lr": 0.1, "amp": True, "size": 3, "seed": float("nan")},
        {"run": "b", "optimizer": "SGD", "lr": 1, "amp": False, "size": "large"},
    ]
).with_columns({"empty": [None, None]})


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("optimizer > 3", [Mismatch("optimizer", ["text"], "3", "number")]),
        ('lr = "abc"', [Mismatch("lr", ["number"], "abc", "text")]),
        ("amp = 1", [Mismatch("amp", ["bool"], "1", "number")]),
        ("not (lr != true) or optimizer = Adam", [Mismatch("lr", ["number"], "true", "bool")]),
        ("size = true", [Mismatch("size", ["number", "text"], "true", "bool")]),
        ("lr not in [abc, def]", [Mismatch("lr", ["number"], "abc", "text")]),
        ("optimizer > 3 and optimizer < 3", [Mismatch("optimizer", ["text"], "3", "number")]),
        ("optimizer = Adam and lr > 0.5 and amp = false and size = 3 and size = large and seed = 1", []),
        ("lr in [abc, 1] or lr in [] or lr contains abc or lr is missing or empty = 3", []),
    ],
)
def test_what_is_compared_in_vain_is_found(query: str, found: list[Mismatch]) -> None:
    assert type_mismatches(TABLE, query=query) == found


def test_scripts_are_warned(tmp_path: Path) -> None:
    mi.log_lineage(tmp_path / "run", params={"net": "a"}, code=False, environment=False)
    runs = mi.open(tmp_path)

    with pytest.warns(UserWarning, match=r"hparam/net contains text, so comparing it with a number \(3\)"):
        runs.lineage("net = 3")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert list(runs.lineage("net = a")["run"]) == ["run"]


def test_every_kind_has_words_in_both_languages() -> None:
    for language in ("en", "zh"):
        words = (Path(__file__).parents[2] / f"ui/src/i18n/{language}/workspace/lineage.ts").read_text("utf-8")
        for name in ("kind", "kinds"):
            (line,) = (line for line in words.splitlines() if line.startswith(f"  {name}: {{"))
            assert all(f"{kind}: '" in line for kind in KINDS)
