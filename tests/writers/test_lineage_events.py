"""Lineage given as mappings becomes the messages that MindSpore's own classes read (tests/compat/mindspore)."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindinsight_like import EvalInfo, SummaryRecord, TrainInfo
from mindinsight_like.logs.kinds import Dialect, Kind, parse_key
from mindinsight_like.logs.scanner import Scanner

from .mindspore_messages import Message, lineage_events

_TRAIN, _EVAL, _DATASET, _CUSTOM = 6, 7, 9, 10


def _written(folder: Path, plugin: str, value: Any) -> Message:
    """The only lineage event, after a round through the file."""
    with SummaryRecord(folder) as record:
        record.add_value(plugin, plugin, value)
        record.record(0)
    (event,) = lineage_events(folder)
    assert 1 in event and 2 not in event  # a time, no step
    return event


FULL = TrainInfo(
    network="LeNet",
    optimizer="Momentum",
    learning_rate=0.25,
    loss_function="L1Loss",
    loss=np.float32(0.125),  # type: ignore[arg-type]  # numbers of numpy are taken, too
    epoch=7,
    batch_size=48,
    parallel_mode="data_parallel",
    device_num=8,
    train_dataset_path="data/mnist",
    train_dataset_size=4800,
    model_path="ckpt/a.ckpt",
    model_size=5_000_000_000,
)


class TestTraining:
    @pytest.mark.parametrize("value", [FULL, vars(FULL)], ids=["dataclass", "mapping"])
    def test_every_field_is_written(self, tmp_path: Path, value: Any) -> None:
        train = _written(tmp_path, "train_lineage", value).message(_TRAIN)

        parameters = train.message(1)
        assert [parameters[field] for field in (1, 2, 3, 4, 5, 6, 8)] == [
            b"Momentum",
            0.25,
            b"L1Loss",
            7,
            b"data_parallel",
            8,
            48,
        ]
        assert [train.message(2)[field] for field in (1, 2)] == [b"data/mnist", 4800]
        assert [train.message(3)[field] for field in (1, 2)] == [b"LeNet", 0.125]
        assert json.loads(train.message(4)[3]) == {"ckpt": "ckpt/a.ckpt"}
        assert train.message(4)[4] == 5_000_000_000

    def test_what_is_unknown_is_left_out(self, tmp_path: Path) -> None:
        train = _written(tmp_path, "train_lineage", {"epoch": 1, "loss": math.nan}).message(_TRAIN)

        assert 2 not in train and 2 not in train.message(1)
        assert math.isnan(train.message(3)[2])
        assert json.loads(train.message(4)[3]) == {"ckpt": None}

    @pytest.mark.parametrize(
        ("value", "error", "message"),
        [
            ({"epochs": 1}, ValueError, "unknown fields"),
            ({"epoch": 2**31}, ValueError, "does not fit into 32 bits"),
            ({"epoch": 1.5}, TypeError, "integer"),
            ({"learning_rate": "0.1"}, TypeError, "expected a number"),
            ({"network": 3}, TypeError, "expected a string"),
            (3, TypeError, "expected a mapping"),
            (b"\xff", ValueError, "protobuf message TrainLineage"),
        ],
    )
    def test_bad_values_are_refused(self, tmp_path: Path, value: Any, error: type[Exception], message: str) -> None:
        with SummaryRecord(tmp_path) as record, pytest.raises(error, match=message):
            record.add_value("train_lineage", "", value)

    def test_messages_and_their_bytes_pass_unchanged(self, tmp_path: Path) -> None:
        content = b"\x0a\x02\x20\x07"  # hyper_parameters { epoch: 7 }

        class TrainLineage:
            """A protobuf message in the eyes of whoever only serialises it."""

            def SerializeToString(self) -> bytes:  # noqa: N802 - its name there
                return content

        class EvaluationLineage(TrainLineage):
            pass

        with SummaryRecord(tmp_path) as record:
            for value in (content, bytearray(content), TrainLineage()):
                record.add_value("train_lineage", "", value)
                record.record(0)
            with pytest.raises(TypeError, match="TrainLineage, not EvaluationLineage"):
                record.add_value("train_lineage", "", EvaluationLineage())

        assert [event[_TRAIN] for event in lineage_events(tmp_path)] == [content] * 3


class TestEvaluation:
    def test_metrics_are_json(self, tmp_path: Path) -> None:
        value = EvalInfo(metrics={"acc": np.float64(0.5), "per class": np.array([1, 2])}, valid_dataset_size=10)

        evaluation = _written(tmp_path, "eval_lineage", value).message(_EVAL)

        assert json.loads(evaluation[2]) == {"acc": 0.5, "per class": [1, 2]}
        assert evaluation.message(3)[2] == 10

    def test_diverged_metrics_are_kept_as_mindspore_does_it(self, tmp_path: Path) -> None:
        evaluation = _written(tmp_path, "eval_lineage", {"metrics": {"loss": math.nan}}).message(_EVAL)

        assert evaluation[2] == b'{"loss": NaN}'


class TestCustomData:
    def test_each_entry_keeps_its_type(self, tmp_path: Path) -> None:
        value = {"seed": 3, "note": "größer", "rate": 0.1, "np": np.int64(-2), "big": 2**40}

        custom = _written(tmp_path, "custom_lineage_data", value).message(_CUSTOM)

        entries = custom.messages(1)
        assert [entry.entries(3) for entry in entries] == [{"seed": 3}, {}, {}, {"np": -2}, {}]
        assert [entry.entries(5) for entry in entries] == [{}, {}, {"rate": 0.1}, {}, {"big": float(2**40)}]
        assert entries[1].entries(4) == {"note": "größer".encode()}

    @pytest.mark.parametrize("value", [{"a": True}, {"a": [1]}, {"a": None}, {3: "a"}, {"a": {"b": 1}}, "text"])
    def test_other_types_are_refused(self, tmp_path: Path, value: Any) -> None:
        with SummaryRecord(tmp_path) as record, pytest.raises(TypeError, match="custom_lineage_data"):
            record.add_value("custom_lineage_data", "", value)


class TestDatasetGraph:
    PIPELINE = {  # noqa: RUF012 - it is not changed
        "op_type": "Batch",
        "op_module": "minddata",
        "drop_remainder": True,
        "batch_size": 32,
        "share": 0.5,
        "cache": None,
        "columns": ["x", None],
        "huge": 2**40,
        "function": print,
        "children": [
            {
                "op_type": "Map",
                "operations": [
                    {"tensor_op_name": "Resize", "size": [28, 30], "interpolation": "LINEAR"},
                    {"tensor_op_name": "Normalize", "mean": [0.5, 1.5]},
                ],
                "sampler": {"sampler_name": "Sequential", "start": 0},
                "children": [{"op_type": "Mnist", "dataset_dir": "data", "children": []}],
            }
        ],
    }

    def test_operators_parameters_and_samplers_are_written(self, tmp_path: Path) -> None:
        batch = _written(tmp_path, "dataset_graph", self.PIPELINE).message(_DATASET)

        parameters = batch.message(2)
        assert parameters.entries(1) == {"op_type": b"Batch", "op_module": b"minddata", "cache": b"None"}
        assert Message(parameters.entries(2)["columns"]).all(1) == [b'"x"', b""]
        assert (parameters.entries(3), parameters.entries(4)) == ({"drop_remainder": 1}, {"batch_size": 32})
        assert parameters.entries(5) == {"share": 0.5, "huge": float(2**40)}
        mapped = batch.message(1)
        resize, normalize = mapped.messages(3)
        assert (resize.all(2), normalize.all(3)) == ([28, 30], [0.5, 1.5])
        assert resize.message(1).entries(1) == {"tensor_op_name": b"Resize", "interpolation": b"LINEAR"}
        assert mapped.message(4, 1).entries(4) == {"start": 0}
        assert mapped.message(1, 2).entries(1) == {"op_type": b"Mnist", "dataset_dir": b"data"}

    def test_other_things_are_refused(self, tmp_path: Path) -> None:
        with SummaryRecord(tmp_path) as record, pytest.raises(TypeError, match="nested mappings"):
            record.add_value("dataset_graph", "", ["Batch"])


def test_a_recording_of_mindspore_is_written_alike(corpus: Path, tmp_path: Path) -> None:
    folder = corpus / "mindspore-2.10" / "manual"
    expected = json.loads((folder / "expected.json").read_text())["lineage"]
    theirs = lineage_events(folder)
    (train,) = (event.message(_TRAIN) for event in theirs if _TRAIN in event)
    names = set(vars(TrainInfo())) & set(expected)
    with SummaryRecord(tmp_path) as record:
        record.record_lineage(
            "train_lineage", {**{name: expected[name] for name in names}, "model_size": train.message(4)[4]}
        )
        record.record_lineage(
            "eval_lineage",
            {
                "metrics": expected["metric"],
                "valid_dataset_path": expected["valid_dataset_path"],
                "valid_dataset_size": expected["valid_dataset_size"],
            },
        )
        record.record_lineage("custom_lineage_data", expected["user_defined"])

    ours = lineage_events(tmp_path)

    for part in (1, 2, 3):
        assert ours[0].message(_TRAIN)[part] == train[part]
    for number, kind in ((1, _EVAL), (2, _CUSTOM)):
        (their,) = (event for event in theirs if kind in event)
        assert ours[number][kind] == their[kind]


def test_the_scanner_finds_every_kind(tmp_path: Path) -> None:
    with SummaryRecord(tmp_path) as record:
        record.add_value("train_lineage", "", {})
        record.add_value("eval_lineage", "", {})
        record.add_value("dataset_graph", "", {"op_type": "Batch"})
        record.add_value("custom_lineage_data", "", {"a": 1})
        record.record(0)
    (path,) = tmp_path.iterdir()
    scanner = Scanner(Dialect.MINDSPORE_LINEAGE)
    scanner.feed(path.read_bytes(), at_end=True)

    batch = scanner.take()

    names = [parse_key(key) for key in batch.keys]
    assert {name.kind for name in names} == {Kind.LINEAGE}
    assert {name.tag for name in names} == {"train", "evaluation", "dataset_graph", "user_defined"}
    assert not batch.damage
