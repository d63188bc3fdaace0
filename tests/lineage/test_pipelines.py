"""The data pipelines of runs over REST."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mindinsight_like.writers.encoding import wire
from mindinsight_like.writers.encoding.mindspore import frame
from mindinsight_like.writers.mindspore import lineage_events
from tests.boards.conftest import Board, board_over

WALL = 1_750_000_000.0
NAME = "events.out.events.summary.1750000000.0.host_lineage"
PIPELINE = {
    "op_type": "Batch",
    "batch_size": 32,
    "drop_remainder": True,
    "children": [
        {
            "op_type": "Map",
            "input_columns": ["image"],
            "operations": [
                {"tensor_op_name": "Rescale", "tensor_op_params": json.dumps({"rescale": 0.5, "shift": 0})},
                {"tensor_op_name": "HwcToChw", "tensor_op_params": None},
                {"tensor_op_name": "Rescale", "is_random": False},
            ],
            "children": [
                {
                    "op_type": "ImageFolderDataset",
                    "dataset_dir": "data",
                    "sampler": {
                        "sampler_name": "SubsetSampler",
                        "num_samples": 5,
                        "child_sampler": [{"sampler_name": "RandomSampler", "replacement": False}],
                    },
                    "children": [],
                },
            ],
        }
    ],
}


@pytest.fixture
def board(tmp_path: Path) -> Board:
    (tmp_path / "logs").mkdir()
    return board_over(tmp_path / "logs", tmp_path)


def _event(plugin: str, content: bytes, wall: float = WALL) -> bytes:
    return frame(lineage_events.event(plugin, content, wall))


def _graphs(board: Board, run: str = "run") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = board.get(f"lineage/datasets/{board.id_of(run)}/graph")["graphs"]
    return found


def _parameters(operator: dict[str, Any]) -> dict[str, Any]:
    return {each["name"]: each["value"] for each in operator["parameters"]}


def _operators(operator: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield operator
    for child in operator["children"]:
        yield from _operators(child)


def test_a_pipeline_with_its_parameters_augmentations_and_samplers(board: Board) -> None:
    board.log_records(f"run/{NAME}", _event("dataset_graph", lineage_events.dataset_graph(PIPELINE)))
    board.load()

    (found,) = _graphs(board)

    assert (found["file"], found["wall_time"], found["phase"]) == (f"run/{NAME}", WALL, "")
    batch = found["root"]
    assert (batch["operator"], batch["name"], batch["sampler"], batch["operations"]) == ("Batch", "Batch", None, [])
    assert _parameters(batch) == {"batch_size": 32, "drop_remainder": True}
    (mapped,) = batch["children"]
    assert _parameters(mapped) == {"input_columns": ["image"]}
    assert [(each["operator"], each["name"]) for each in mapped["operations"]] == [
        ("Rescale", "Rescale"),
        ("HwcToChw", "HwcToChw"),
        ("Rescale", "Rescale 2"),
    ]
    assert _parameters(mapped["operations"][0]) == {"rescale": 0.5, "shift": 0}
    assert _parameters(mapped["operations"][1]) == {}
    (source,) = mapped["children"]
    assert _parameters(source) == {"dataset_dir": "data"}
    sampler = source["sampler"]
    assert (sampler["operator"], _parameters(sampler)) == ("SubsetSampler", {"num_samples": 5})
    assert (sampler["sampler"]["operator"], _parameters(sampler["sampler"])) == (
        "RandomSampler",
        {"replacement": False},
    )


def test_a_run_says_whether_it_has_a_pipeline(board: Board) -> None:
    board.log_records(f"with/{NAME}", _event("dataset_graph", lineage_events.dataset_graph(PIPELINE)))
    board.log_records(f"without/{NAME}", _event("train_lineage", lineage_events.train({"network": "net"})))
    board.load()

    counts = {run["name"]: run["counts"] for run in board.get("runs")["runs"]}

    assert counts == {"with": {"lineage": 1, "pipelines": 1}, "without": {"lineage": 1}}
    assert _graphs(board, "without") == []
    refused = board.client.get("/v1/lineage/datasets/nobody/graph")
    assert (refused.status_code, refused.get_json()["error"]["code"]) == (404, "run_not_found")


def test_a_pipeline_belongs_to_the_training_or_the_evaluation_it_was_written_with(board: Board) -> None:
    graph = lineage_events.dataset_graph(PIPELINE)
    train, evaluation = lineage_events.train({"network": "net"}), lineage_events.evaluation({"metrics": {"a": 1}})
    board.log_records(f"run/{NAME}", _event("dataset_graph", graph, WALL), _event("train_lineage", train))
    other = NAME.replace("1750000000", "1750000009")
    board.log_records(f"run/{other}", _event("eval_lineage", evaluation), _event("dataset_graph", graph, WALL + 9))
    board.load()

    assert [(each["phase"], each["file"]) for each in _graphs(board)] == [
        ("train", f"run/{NAME}"),
        ("evaluation", f"run/{other}"),
    ]


def test_numbers_that_json_lacks_are_texts(board: Board) -> None:
    entry = wire.text(1, "scale") + wire.double(2, float("nan"))
    graph = wire.blob(2, wire.blob(1, wire.text(1, "op_type") + wire.text(2, "Op")) + wire.blob(5, entry))
    board.log_records(f"run/{NAME}", _event("dataset_graph", graph))
    board.load()

    (found,) = _graphs(board)

    assert _parameters(found["root"]) == {"scale": "NaN"}


def test_a_pipeline_that_never_ends_is_refused(board: Board) -> None:
    graph = b""
    for _ in range(300):
        graph = wire.blob(1, graph)
    board.log_records(f"run/{NAME}", _event("dataset_graph", graph))
    board.load()

    answer = board.client.get(f"/v1/lineage/datasets/{board.id_of('run')}/graph")

    assert (answer.status_code, answer.get_json()["error"]["code"]) == (422, "bad_data")


def test_every_real_pipeline_is_as_it_was_written(corpus: Path, tmp_path: Path) -> None:
    board = board_over(corpus, tmp_path)
    board.load()
    checked = 0
    for run in board.get("runs")["runs"]:
        truth = corpus / run["name"] / "expected.json"
        expected = json.loads(truth.read_text()).get("dataset_graph_ops_root_to_leaf") if truth.exists() else None
        if not expected:
            continue
        assert run["counts"]["pipelines"] == 1
        found = _graphs(board, run["name"])
        flat = [name for each in expected for name in (each if isinstance(each, list) else [each])]
        assert [each["operator"] for each in _operators(found[0]["root"])] == flat, run["name"]
        assert found[0]["phase"] == "train"
        checked += 1
    assert checked >= 5
