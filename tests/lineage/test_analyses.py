"""Importance, the lineage graph, differences and exports, through the API."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import time
import uuid
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mindinsight_like as mi
from mindinsight_like.lineage.insights.divergence import divergence_step
from mindinsight_like.lineage.insights.importance import ranked
from mindinsight_like.store.growing_logs import GROWING_SECONDS
from mindinsight_like.store.result_types import Curve
from tests.boards.conftest import Board, board, corpus_board

__all__ = ["board", "corpus_board"]  # fixtures of the boards' tests


@pytest.fixture
def log(board: Board) -> Callable[..., Path]:
    """Writes a lineage record of a run."""

    def write(run: str, **parts: Any) -> Path:
        parts = {"code": False, "environment": False, **parts}
        return mi.log_lineage(board.settings.summary_base_dir / run, **parts)

    return write


# --- importance ---


def test_importance_ranks_what_decides_the_result(board: Board, log: Callable[..., Path]) -> None:
    random = np.random.default_rng(3)
    for number in range(60):
        lr, net, noise = float(random.random()), str(random.choice(["a", "b"])), float(random.random())
        accuracy = -lr + (0.3 if net == "a" else 0.0) + 0.02 * noise
        log(
            f"r{number}",
            params={"lr": lr, "net": net, "seed": noise, "same": 1, "name": f"n{number}"},
            metrics={"acc": accuracy},
        )
    board.load()
    answer = board.get("lineage/importance", target="metric/acc")
    found = {each["name"]: each for each in answer["parameters"]}
    assert [each["name"] for each in answer["parameters"][:2]] == ["learning_rate", "model"]
    assert found["learning_rate"]["direction"] == -1 and found["learning_rate"]["importance"] > 0.8
    assert found["seed"]["importance"] < 0.35
    assert (found["hparam/same"]["importance"], found["hparam/same"]["reason"]) == (None, "the same in all runs")
    assert found["hparam/name"]["reason"] == "different in every run"
    assert answer["runs"] == 60 and "Spearman" in answer["method"] and "correlation ratio" in answer["method"]


def test_too_few_runs_are_said_not_guessed(board: Board, log: Callable[..., Path]) -> None:
    for number in range(7):
        log(f"r{number}", params={"lr": number}, metrics={"acc": number})
    board.load()
    (found,) = board.get("lineage/importance", target="metric/acc")["parameters"]
    assert (found["importance"], found["reason"], found["runs"]) == (None, "too few runs", 7)


@pytest.mark.parametrize("target", ["", "metric/none", "hparam/net"])
def test_a_target_needs_numbers(board: Board, log: Callable[..., Path], target: str) -> None:
    log("r", params={"net": "a"})
    board.load()
    assert board.client.get("/v1/lineage/importance", query_string={"target": target}).status_code == 400


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=30))
def test_ranks_share_the_mean_of_equal_values(values: list[int]) -> None:
    places: dict[int, list[int]] = {}
    for place, value in enumerate(sorted(values)):
        places.setdefault(value, []).append(place)
    expected = [sum(places[value]) / len(places[value]) for value in values]
    assert ranked(np.array(values, float)).tolist() == expected


# --- the graph ---


def test_the_graph_leads_from_data_over_runs_to_results(board: Board, log: Callable[..., Path], tmp_path: Path) -> None:
    base = board.settings.summary_base_dir
    data, checkpoint = tmp_path / "digits.bin", tmp_path / "model.ckpt"
    data.write_bytes(b"data")
    checkpoint.write_bytes(b"weights")
    log("first", params={"lr": 1}, inputs=[data], outputs=[checkpoint])
    log("second", parents={"resumed from": base / "first"}, metrics={"acc": 0.5})
    log("third", inputs=[checkpoint])
    log("elsewhere", params={"lr": 1})
    board.load()
    ids = {name: board.id_of(name) for name in ("first", "second", "third")}
    answer = board.get(f"lineage/graph/{ids['first']}", depth=1)
    kinds = {node["id"]: node["kind"] for node in answer["nodes"]}
    assert sorted(kinds.values()) == ["checkpoint", "data", "evaluation", "run", "run", "run"]
    labels = {node["id"]: node["label"] for node in answer["nodes"]}
    edges = {(labels[edge["source"]], labels[edge["target"]], edge["relation"]) for edge in answer["edges"]}
    assert edges == {
        ("digits.bin", "first", "input"),
        ("first", "model.ckpt", "output"),
        ("model.ckpt", "third", "input"),
        ("first", "second", "resumed from"),
        ("second", "evaluation", "evaluation"),
    }
    alone = board.get(f"lineage/graph/{ids['first']}", depth=0)
    assert {node["label"] for node in alone["nodes"]} == {"first", "digits.bin", "model.ckpt"}


def test_parents_in_a_circle_do_no_harm(board: Board, log: Callable[..., Path]) -> None:
    base = board.settings.summary_base_dir
    log("a", parents={"from": base / "b", "outside": "/etc", "self": base / "a"})
    log("b", parents={"from": base / "a"})
    board.load()
    answer = board.get(f"lineage/graph/{board.id_of('a')}", depth=20)
    here = {node["id"]: node["label"] for node in answer["nodes"] if node["run"]}
    assert set(here.values()) == {"a", "b"}
    assert len([edge for edge in answer["edges"] if edge["source"] in here]) == 3


def test_a_checkpoint_named_as_parent_stands_for_its_run_and_strangers_for_themselves(
    board: Board, log: Callable[..., Path], tmp_path: Path
) -> None:
    base = board.settings.summary_base_dir
    log("sweep/first", params={"lr": 1})
    log("sweep/second", parents={"resumed from": base / "sweep" / "first" / "checkpoints" / "last.ckpt"})
    log("third", parents={"fine-tuned from": base.parent / "elsewhere" / "llm"})
    board.load()
    ids = {name: board.id_of(name) for name in ("sweep/first", "sweep/second", "third")}
    answer = board.get(f"lineage/graph/{ids['sweep/first']}")
    assert [tuple(edge.values()) for edge in answer["edges"]] == [
        (ids["sweep/first"], ids["sweep/second"], "resumed from")
    ]
    answer = board.get(f"lineage/graph/{ids['third']}")
    (stranger,) = (node for node in answer["nodes"] if node["id"] != ids["third"])
    assert (stranger["kind"], stranger["label"], stranger["run"]) == ("run", "../elsewhere/llm", "")
    assert [tuple(edge.values()) for edge in answer["edges"]] == [(stranger["id"], ids["third"], "fine-tuned from")]


def test_mindspore_runs_show_data_checkpoint_and_evaluation(corpus_board: Board) -> None:
    run = corpus_board.id_of("mindspore-2.10/sweep/run_a")
    answer = corpus_board.get(f"lineage/graph/{run}")
    assert {node["kind"] for node in answer["nodes"]} == {"run", "data", "checkpoint", "evaluation"}


# --- differences ---


def test_why_ranks_differences(board: Board, log: Callable[..., Path]) -> None:
    for number in range(12):
        log(f"r{number}", params={"lr": number, "seed": (number * 7) % 5}, metrics={"acc": number / 10})
    log(
        "a",
        params={"lr": 1, "seed": 1, "same": 3},
        metrics={"acc": 0.1},
        code={"commit": "x", "diff": "+one\n"},
        environment={"python": "3.10"},
    )
    log(
        "b",
        params={"lr": 9, "seed": 2, "same": 3},
        metrics={"acc": 0.9},
        code={"commit": "y", "diff": "+two\n"},
        environment={"python": "3.11"},
    )
    board.log("a", "loss", [1.0] * 20)
    board.log("b", "loss", [1.0] * 10 + [0.2] * 10)
    board.load()
    answer = board.get("lineage/why", a=board.id_of("a"), b=board.id_of("b"), tag="loss")
    assert [(each["kind"], each["name"], each["a"], each["b"]) for each in answer["differences"]] == [
        ("result", "metric/acc", 0.1, 0.9),
        ("parameter", "hparam/lr", 1, 9),
        ("parameter", "hparam/seed", 1, 2),
        ("code", "code/commit", "x", "y"),
        ("environment", "environment/python", "3.10", "3.11"),
    ]
    assert answer["target"] == "metric/acc"
    assert "-+one" in answer["code"] and "++two" in answer["code"]
    assert answer["divergence_step"] == 10


def test_why_tells_of_other_data_and_other_origins(board: Board, log: Callable[..., Path], tmp_path: Path) -> None:
    base = board.settings.summary_base_dir
    for name, content in (("old/digits.npz", b"old"), ("new/digits.npz", b"new"), ("copy/words.txt", b"words")):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_bytes(content)
    (tmp_path / "words.txt").write_bytes(b"words")
    log("pre", params={"lr": 1})
    log("a", params={"x": float("nan")}, inputs=[tmp_path / "old" / "digits.npz", tmp_path / "words.txt"])
    log(
        "deep/b",
        params={"x": float("nan")},
        inputs=[tmp_path / "new" / "digits.npz", tmp_path / "copy" / "words.txt"],
        parents={"fine-tuned from": base / "pre"},
    )
    board.load()

    answer = board.get("lineage/why", a=board.id_of("a"), b=board.id_of("deep/b"))

    origin, data = answer["differences"]
    assert (origin["kind"], origin["name"], origin["a"], origin["b"]) == ("origin", "fine-tuned from", None, "pre")
    assert (data["kind"], data["name"]) == ("data", "input/digits.npz")
    assert data["a"] == f"sha256:{hashlib.sha256(b'old').hexdigest()}"
    assert data["b"] == f"sha256:{hashlib.sha256(b'new').hexdigest()}"


def test_trials_are_ranked_by_results_that_are_scalars(corpus_board: Board) -> None:
    a, b = (corpus_board.id_of(f"tensorboard-torch/sweep/trial_{number}/hp") for number in (0, 2))
    answer = corpus_board.get("lineage/why", a=a, b=b)
    assert answer["target"] == "metric/final/accuracy"
    assert {"kind": "result", "name": "metric/final/accuracy", "a": 0.0859375, "b": 0.34765625, "importance": None} in (
        answer["differences"]
    )


def test_pipelines_of_real_runs_are_compared(corpus_board: Board) -> None:
    a, b = (corpus_board.id_of(f"mindspore-2.10/sweep/run_{name}") for name in "ab")
    answer = corpus_board.get("lineage/why", a=a, b=b, tag="loss/auto")
    found = {each["name"]: (each["a"], each["b"]) for each in answer["differences"]}
    assert found["batch_size"] == (32, 64) and found["Batch.batch_size"] == (32, 64)
    assert ("pipeline", "Shuffle") in {(each["kind"], each["name"]) for each in answer["differences"]}


def curve(values: list[float], steps: list[int] | None = None) -> Curve:
    at = np.array(steps if steps is not None else range(len(values)), np.int64)
    return Curve("r", "t", "", len(values), 0, True, False, at, at.astype(float), np.array(values), None, [0], 0.0)


def test_noise_is_no_parting() -> None:
    random = np.random.default_rng(1)
    one, other = random.normal(size=200), random.normal(size=200)
    assert divergence_step(curve(one.tolist()), curve(other.tolist())) is None
    other[120:] += 50
    assert divergence_step(curve(one.tolist()), curve(other.tolist())) == 120


def test_one_outlier_is_no_parting_and_an_end_apart_is() -> None:
    flat = [1.0] * 30
    assert divergence_step(curve(flat), curve([*flat[:10], 9.0, *flat[11:]])) is None
    assert divergence_step(curve(flat), curve([*flat[:28], 9.0, 9.0])) == 28


def test_curves_that_cross_part_after_the_crossing() -> None:
    level = [5.0] * 20
    assert divergence_step(curve(level), curve([6.0, 6.0, *[4.0] * 18])) == 2


def test_a_curve_that_turns_to_nan_parts_there() -> None:
    flat, nan = [1.0] * 30, float("nan")
    assert divergence_step(curve(flat), curve([*flat[:12], *[nan] * 18])) == 12
    assert divergence_step(curve([*flat[:12], *[float("inf")] * 18]), curve(flat)) == 12
    assert divergence_step(curve(flat), curve([*flat[:12], nan, *flat[13:]])) is None
    assert divergence_step(curve([*flat[:12], nan, nan]), curve([*flat[:12], nan, nan])) is None
    assert divergence_step(curve([*flat[:12], nan, nan]), curve(flat[:12])) is None


def test_curves_of_different_spacing_meet_at_common_steps() -> None:
    sparse = curve([0.0, 10.0, 20.0], [0, 10, 20])
    dense = curve([float(step) for step in range(21)], list(range(21)))
    assert divergence_step(sparse, dense) is None
    assert divergence_step(curve([1.0], [5]), curve([1.0], [50])) is None
    assert divergence_step(curve([float("nan")]), curve([1.0])) is None


def test_curves_without_steps_have_none_where_they_part() -> None:
    one, other = (replace(curve([level] * 9, [0] * 9), has_steps=False) for level in (1.0, 5.0))

    assert divergence_step(one, other) is None
    assert divergence_step(one, curve([5.0] * 9)) is None


# --- exports ---


@pytest.fixture
def two(board: Board, log: Callable[..., Path]) -> Board:
    log(
        "a",
        params={"lr": 0.1, "net": "=cmd()", "x": 1},
        metrics={"acc": float("nan")},
        inputs=[mi.Artifact("digits", "dataset", "h")],
    )
    log(
        "b",
        params={"lr": 0.2, "x": "text"},
        parents={"from": board.settings.summary_base_dir / "a"},
        code={"commit": "c", "repository": "r"},
    )
    board.load()
    return board


def exported(board: Board, **asked: Any) -> bytes:
    answer = board.client.get("/v1/lineage/export", query_string=asked)
    assert answer.status_code == 200
    return answer.data


def test_tables_are_exported_with_safe_cells(two: Board) -> None:
    rows = list(csv.DictReader(io.StringIO(exported(two, format="csv", sort="run").decode())))
    assert [(row["run"], row["hparam/lr"], row["hparam/net"], row["metric/acc"]) for row in rows] == [
        ("a", "0.1", "'=cmd()", "NaN"),
        ("b", "0.2", "", ""),
    ]
    found = json.loads(exported(two, format="json", query="lr > 0.15"))
    assert [each["run"] for each in found] == ["b"] and "metric/acc" not in found[0]
    table = pyarrow.parquet.read_table(io.BytesIO(exported(two, format="parquet", sort="run"))).to_pydict()
    assert table["hparam/lr"] == [0.1, 0.2] and table["hparam/x"] == ["1", "text"]


def test_exports_have_the_columns_of_scalars_that_are_asked_for(two: Board) -> None:
    two.log("a", "loss", [3.0, 1.0])
    two.log("b", "loss", [5.0, 2.0])
    two.load()
    asked = {
        "scalars": ["scalar/loss/max", "scalar/loss/last"],
        "query": "scalar/loss/min > 0",
        "sort": "scalar/loss/max",
    }
    rows = list(csv.DictReader(io.StringIO(exported(two, format="csv", **asked).decode())))
    found = json.loads(exported(two, format="json", **asked))
    table = pyarrow.parquet.read_table(io.BytesIO(exported(two, format="parquet", **asked))).to_pydict()

    assert [(row["run"], row["hparam/lr"], row["scalar/loss/max"]) for row in rows] == [
        ("a", "0.1", "3.0"),
        ("b", "0.2", "5.0"),
    ]
    assert [(each["scalar/loss/max"], each["scalar/loss/last"]) for each in found] == [(3.0, 1.0), (5.0, 2.0)]
    assert table["scalar/loss/last"] == [1.0, 2.0]
    assert "scalar/loss/min" not in rows[0]
    assert two.client.get("/v1/lineage/export", query_string={"scalars": "hparam/lr"}).status_code == 400


def test_importance_judges_by_scalars_and_over_runs_they_choose(board: Board, log: Callable[..., Path]) -> None:
    for number in range(10):
        log(f"r{number}", params={"lr": number})
        board.log(f"r{number}", "loss", [9.0, float(number)])
    board.load()
    answer = board.get("lineage/importance", target="scalar/loss/last", query="scalar/loss/last > 0.5")
    assert answer["runs"] == 9 and answer["parameters"][0]["importance"] == 1.0


def written(board: Board, seconds_ago: float) -> None:
    """As if all logs had been written that long ago."""
    at = time.time() - seconds_ago
    for file in board.settings.summary_base_dir.rglob("*.*"):
        os.utime(file, (at, at))
    board.load()


def test_events_of_runs_that_may_go_on_do_not_tell_of_an_end(two: Board) -> None:
    written(two, seconds_ago=GROWING_SECONDS - 3)
    asked = {"format": "openlineage", "sort": "run"}
    growing = two.client.get("/v1/lineage/export", query_string=asked)
    time.sleep(3)
    ended = two.client.get("/v1/lineage/export", query_string=asked, headers={"If-None-Match": growing.headers["ETag"]})

    assert [each["eventType"] for each in growing.get_json()] == ["START", "RUNNING"] * 2
    assert [each["eventType"] for each in ended.get_json()] == ["START", "COMPLETE"] * 2


def test_runs_become_openlineage_events(two: Board) -> None:
    written(two, seconds_ago=2 * GROWING_SECONDS)
    found = json.loads(exported(two, format="openlineage", sort="run"))
    assert [each["eventType"] for each in found] == ["START", "COMPLETE"] * 2
    for each in found:  # what the schema requires of every event, and of every facet
        assert {"eventTime", "producer", "schemaURL", "run", "job"} <= each.keys()
        assert uuid.UUID(each["run"]["runId"]) and each["job"].keys() >= {"namespace", "name"}
        assert datetime.fromisoformat(each["eventTime"]).tzinfo is not None
        things = [each["run"], each["job"], *each.get("inputs", ()), *each.get("outputs", ())]
        facets = [facet for thing in things for facet in thing.get("facets", {}).values()]
        assert all(urlsplit(facet[key]).scheme for facet in facets for key in ("_producer", "_schemaURL"))
    begun, first, _, second = found
    assert begun["run"]["runId"] == first["run"]["runId"] and begun["eventTime"] <= first["eventTime"]
    assert first["run"]["facets"]["mindinsight_lineage"]["values"]["metric/acc"] == {"number": "NaN"}
    assert first["inputs"][0]["facets"]["version"]["datasetVersion"] == "h"
    assert second["run"]["facets"]["parent"]["run"]["runId"] == first["run"]["runId"]
    assert second["job"]["facets"]["sourceCodeLocation"]["version"] == "c"


def test_events_hold_results_that_are_scalars(corpus_board: Board) -> None:
    asked = {"format": "openlineage", "query": 'run = "tensorboard-torch/sweep/trial_0/hp"'}
    _, ended = json.loads(exported(corpus_board, **asked))
    assert ended["run"]["facets"]["mindinsight_lineage"]["values"]["metric/final/accuracy"] == 0.0859375


@pytest.mark.parametrize(
    ("repository", "address"),
    [
        ("https://example.org/a/b.git", "https://example.org/a/b.git"),
        ("git@example.org:a/b.git", "ssh://git@example.org/a/b.git"),
        ("/data/my repos/b", "file:///data/my%20repos/b"),
    ],
)
def test_repositories_have_addresses_that_are_uris(
    board: Board, log: Callable[..., Path], repository: str, address: str
) -> None:
    log("a", code={"commit": "c", "repository": repository})
    log("b", code={"commit": "c"})
    board.load()
    _, a, _, b = json.loads(exported(board, format="openlineage", sort="run"))
    assert a["job"]["facets"]["sourceCodeLocation"]["url"] == address
    assert a["job"]["facets"]["sourceCodeLocation"]["repoUrl"] == repository
    assert b["job"]["facets"] == {}
