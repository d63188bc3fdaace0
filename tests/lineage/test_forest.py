"""Importance by a random forest: parameters that matter together, the fit, and what is missing."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

import mindinsight_like as mi
from mindinsight_like.lineage.columns import Table
from mindinsight_like.lineage.insights.forest import features, fit
from mindinsight_like.lineage.insights.importance import importances
from tests.boards.conftest import Board, board

__all__ = ["board"]  # fixture of the boards' tests

pytest.importorskip("sklearn", reason="scikit-learn comes with the extra projections")


def interacting(runs: int, noise: float = 0.05) -> Table:
    """The result is good where two parameters are both high or both low: neither says anything alone."""
    random = np.random.default_rng(1)
    a, b, c = random.random((3, runs))
    result = np.where((a > 0.5) == (b > 0.5), 1.0, 0.0) + noise * random.standard_normal(runs)
    return Table(
        [
            {"hparam/a": float(a[n]), "hparam/b": float(b[n]), "hparam/c": float(c[n]), "metric/acc": float(result[n])}
            for n in range(runs)
        ]
    )


def test_parameters_that_matter_only_together_are_important() -> None:
    table = interacting(300)
    rows = np.arange(len(table))

    forest = fit(features(table, rows, "metric/acc"))

    assert [each.name for each in forest.parameters[2:]] == ["hparam/c"]
    assert forest.r2 > 0.5 and all(each.importance > 0.3 for each in forest.parameters[:2])
    alone = {each.name: each.importance or 0.0 for each in importances(table, rows, "metric/acc")}
    assert alone["hparam/a"] < 0.2 and alone["hparam/b"] < 0.2


def test_noise_is_not_explained() -> None:
    random = np.random.default_rng(2)
    table = Table([{"hparam/a": float(a), "metric/acc": float(b)} for a, b in random.random((100, 2))])

    forest = fit(features(table, np.arange(100), "metric/acc"))

    assert forest.r2 < 0.2


def test_texts_and_missing_values_are_learned_from() -> None:
    random = np.random.default_rng(3)
    rows: list[dict[str, Any]] = []
    for _ in range(120):
        name = str(random.choice(["adam", "sgd"]))
        row: dict[str, Any] = {"hparam/optimizer": name, "metric/acc": float(name == "adam")}
        if random.random() < 0.5:
            row["hparam/dropout"] = float(random.random())
        rows.append(row)

    data = features(Table(rows), np.arange(120), "metric/acc")
    forest = fit(data)

    assert set(data.names) == {"hparam/optimizer", "hparam/dropout"}
    assert forest.parameters[0].name == "hparam/optimizer" and forest.r2 > 0.9


def ask(board: Board, **params: Any) -> Any:
    answer = board.client.post("/v1/lineage/importance/forest", json=params)
    assert answer.status_code == 200, answer.text
    return answer.get_json()


def test_the_forest_is_computed_as_a_job_for_the_main_metric(board: Board) -> None:
    random = np.random.default_rng(4)
    for number in range(40):
        lr = float(random.random())
        parts: dict[str, Any] = {"params": {"lr": lr, "seed": number % 5}, "metrics": {"accuracy": 1.0 - lr}}
        mi.log_lineage(board.settings.summary_base_dir / f"r{number}", code=False, environment=False, **parts)
    board.load()

    deadline = time.monotonic() + 90
    while (answer := ask(board))["state"] in ("queued", "running") and time.monotonic() < deadline:
        time.sleep(0.2)

    assert (answer["state"], answer["target"], answer["runs"]) == ("ready", "accuracy", 40), answer["message"]
    assert answer["parameters"][0]["name"] == "learning_rate" and answer["trust"] == "good"


def test_too_few_runs_are_refused_with_the_reason(board: Board) -> None:
    mi.log_lineage(
        board.settings.summary_base_dir / "a", code=False, environment=False, params={"lr": 1}, metrics={"accuracy": 1}
    )
    board.load()

    answer = ask(board)

    assert answer["state"] == "failed" and "at least 20 runs" in answer["message"]
