"""Our part of the MindSpore callbacks, with trainings as plain objects; tests/compat/mindspore runs the real ones."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from mindinsight_like import EvalLineage, SummaryCollector, SummaryRecord, SummaryStep, TrainLineage

from .mindspore_messages import lineage_events, values

_SCALAR, _IMAGE, _HISTOGRAM = 3, 4, 9
_TRAIN, _EVAL, _CUSTOM = 6, 7, 10
NO_LANDSCAPE = {"collect_landscape": None}


class Callback:
    """Takes the place of MindSpore's class, which adds nothing that these tests need."""


class Collector(SummaryCollector):
    @classmethod
    def framework_class(cls) -> type:
        return Callback


class Step(SummaryStep):
    @classmethod
    def framework_class(cls) -> type:
        return Callback


class Trained(TrainLineage):
    @classmethod
    def framework_class(cls) -> type:
        return Callback


class Evaluated(EvalLineage):
    @classmethod
    def framework_class(cls) -> type:
        return Callback


class Training(dict[str, Any]):
    """Callback parameters as MindSpore has them: what is not set raises KeyError."""

    def __getattr__(self, name: str) -> Any:
        return self[name]


class Parameter(SimpleNamespace):
    """A parameter of MindSpore by its name, by which it is recognised."""

    def asnumpy(self) -> Any:
        return self.data


class Optimizer(SimpleNamespace):
    pass


class Momentum(Optimizer):
    pass


class L1Loss:
    pass


class Net:
    pass


class Dataset(SimpleNamespace):
    def get_dataset_size(self) -> int:
        return 6

    def get_batch_size(self) -> int:
        return 8


def _training(**more: Any) -> Training:
    weights = [Parameter(name=f"w{number}", data=np.arange(4.0)) for number in range(7)]
    rate = Parameter(name="learning_rate", data=np.float32(0.25))
    source = Dataset(children=[], dataset_dir="data/mnist")
    usual = {
        "mode": "train",
        "epoch_num": 2,
        "batch_num": 6,
        "cur_step_num": 0,
        "cur_epoch_num": 1,
        "dataset_sink_mode": False,
        "network": Net(),
        "train_network": SimpleNamespace(),
        "optimizer": Momentum(parameters=weights, learning_rate=rate),
        "loss_fn": L1Loss(),
        "net_outputs": np.array([0.5, 1.5]),
        "train_dataset": Dataset(children=[source]),
        "train_dataset_element": [np.zeros((2, 1, 3, 3), np.float32), np.zeros(2)],
        "parallel_mode": "stand_alone",
        "device_number": 1,
        "list_callback": [],
    }
    return Training({**usual, **more})


def _context(training: Training) -> Any:
    return SimpleNamespace(original_args=lambda: training)


def _run(callback: Any, training: Training) -> None:
    """Call the hooks as MindSpore does in a training of two epochs."""
    with callback:
        callback.begin(_context(training))
        for epoch in range(training.epoch_num):
            training["cur_epoch_num"] = epoch + 1
            for _ in range(training.batch_num):
                training["cur_step_num"] += 1
                callback.step_end(_context(training))
            callback.epoch_end(_context(training))
        callback.end(_context(training))


class TestCollector:
    def test_the_first_step_and_multiples_are_collected_once(self, tmp_path: Path) -> None:
        _run(Collector(tmp_path, 4, collect_specified_data=NO_LANDSCAPE), _training())

        assert values(tmp_path, _SCALAR) == {"loss/auto": {1: 1.0, 4: 1.0, 8: 1.0, 12: 1.0}}
        assert list(values(tmp_path, _IMAGE)) == ["input_data/auto"]
        assert list(values(tmp_path, _HISTOGRAM)) == [f"w{number}/auto" for number in range(5)]

    def test_epochs_are_collected_when_steps_cannot_be_seen(self, tmp_path: Path) -> None:
        collector = Collector(tmp_path, 2, collect_specified_data=NO_LANDSCAPE)

        _run(collector, _training(epoch_num=4, dataset_sink_mode=True))

        assert list(values(tmp_path, _SCALAR)["loss/auto"]) == [6, 12, 24]

    def test_wishes_replace_the_defaults(self, tmp_path: Path) -> None:
        wishes = {**NO_LANDSCAPE, "collect_metric": False, "collect_input_data": False, "histogram_regular": "w[56]"}

        _run(Collector(tmp_path, collect_specified_data=wishes), _training())

        assert not values(tmp_path, _SCALAR) and not values(tmp_path, _IMAGE)
        assert list(values(tmp_path, _HISTOGRAM)) == ["w5/auto", "w6/auto"]

    def test_only_wishes_count_without_the_default_action(self, tmp_path: Path) -> None:
        _run(
            Collector(tmp_path, collect_specified_data={"collect_metric": True}, keep_default_action=False), _training()
        )

        assert values(tmp_path, _SCALAR) and not values(tmp_path, _IMAGE) and not values(tmp_path, _HISTOGRAM)
        assert not lineage_events(tmp_path)

    def test_lineage_tells_of_the_training(self, tmp_path: Path) -> None:
        checkpoint = tmp_path / "a.ckpt"
        checkpoint.write_bytes(b"12345")
        writer = SimpleNamespace(latest_ckpt_file_name=str(checkpoint))
        collector = Collector(tmp_path / "run", custom_lineage_data={"seed": 3}, collect_specified_data=NO_LANDSCAPE)

        _run(collector, _training(list_callback=[writer, collector]))

        custom, trained = lineage_events(tmp_path / "run")
        assert custom.message(_CUSTOM, 1).entries(3) == {"seed": 3}
        train = trained.message(_TRAIN)
        parameters = train.message(1)
        assert [parameters[field] for field in (1, 2, 3, 4, 5, 6, 8)] == [
            b"Momentum",
            0.25,
            b"L1Loss",
            2,
            b"stand_alone",
            1,
            8,
        ]
        assert [train.message(2)[field] for field in (1, 2)] == [b"data/mnist", 48]
        assert [train.message(3)[field] for field in (1, 2)] == [b"Net", 1.0]
        assert json.loads(train.message(4)[3]) == {"ckpt": str(checkpoint)}
        assert train.message(4)[4] == 5

    def test_an_evaluation_has_files_of_its_own(self, tmp_path: Path) -> None:
        collector = Collector(tmp_path, collect_specified_data=NO_LANDSCAPE)
        _run(collector, _training())
        evaluation = Training(mode="eval", metrics={"acc": 0.5}, valid_dataset=Dataset(children=[]), cur_step_num=0)

        with collector:
            for hook in (collector.begin, collector.step_end, collector.epoch_end, collector.end):
                hook(_context(evaluation))

        assert len(list(tmp_path.glob("*_MS"))) == 1 and len(list(tmp_path.glob("*_lineage"))) == 2
        found = lineage_events(tmp_path)[-1].message(_EVAL)
        assert (json.loads(found[2]), found.message(3)[2]) == ({"acc": 0.5}, 48)

    def test_inputs_that_are_no_pictures_are_left_out(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        training = _training(train_dataset_element=np.zeros((8, 3)))

        with caplog.at_level(logging.WARNING):
            _run(Collector(tmp_path, 1, collect_specified_data=NO_LANDSCAPE), training)

        assert not values(tmp_path, _IMAGE)
        assert caplog.text.count("is not a batch of images") == 1

    @pytest.mark.parametrize(
        ("frequency", "steps", "expected"),
        [
            (10, 100, list(range(0, 101, 10))),
            (10, 600, [number * 31 for number in range(20)]),
            (1, 25, list(range(21))),
        ],
    )
    def test_tensors_are_collected_at_twenty_steps(
        self, tmp_path: Path, frequency: int, steps: int, expected: list[int]
    ) -> None:
        collector = Collector(tmp_path, frequency, collect_specified_data=NO_LANDSCAPE)

        assert list(collector._turns_of_tensors(steps)) == expected

    def test_a_search_over_hyper_parameters_adds_its_data(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("MINDINSIGHT_HYPER_CONFIG", json.dumps({"custom_lineage_data": {"a": 1, "b": 2}}))

        _run(Collector(tmp_path, custom_lineage_data={"b": 3}, collect_specified_data=NO_LANDSCAPE), _training())

        entries = [entry.entries(3) for entry in lineage_events(tmp_path)[0].message(_CUSTOM).messages(1)]
        assert entries == [{"a": 1}, {"b": 3}]

    def test_arguments_are_taken_in_the_order_of_every_version(self, tmp_path: Path) -> None:
        wishes = {**NO_LANDSCAPE, "collect_input_data": False}
        for number, arguments in enumerate([(wishes, True), (32, wishes, True)]):
            _run(Collector(tmp_path / str(number), 10, *arguments), _training())

            assert not values(tmp_path / str(number), _IMAGE)

    @pytest.mark.parametrize(
        ("arguments", "error"),
        [
            ({"collect_freq": 0}, ValueError),
            ({"collect_freq": 1.5}, TypeError),
            ({"collect_tensor_freq": -1}, ValueError),
            ({"max_file_size": 0}, ValueError),
            ({"collect_specified_data": {"collect_all": True}}, ValueError),
            ({"collect_specified_data": {"collect_metric": 1}}, TypeError),
            ({"collect_specified_data": {"histogram_regular": "("}}, ValueError),
            ({"collect_specified_data": {"collect_landscape": {"landscape_size": 2}}}, ValueError),
            ({"collect_specified_data": {"collect_landscape": {"intervals": [[1, 2]]}}}, ValueError),
            ({"collect_specified_data": {"collect_landscape": {"unit": "hour"}}}, ValueError),
            ({"keep_default_action": 1}, TypeError),
            ({"custom_lineage_data": {"a": True}}, TypeError),
            ({"export_options": {"tensor_format": "csv"}}, ValueError),
        ],
    )
    def test_bad_arguments_are_refused(self, tmp_path: Path, arguments: Any, error: type[Exception]) -> None:
        with pytest.raises(error):
            Collector(tmp_path, **arguments)

    def test_a_second_collector_is_refused(self, tmp_path: Path) -> None:
        collectors = [Collector(tmp_path, collect_specified_data=NO_LANDSCAPE) for _ in range(2)]

        with pytest.raises(ValueError, match="only one SummaryCollector"):
            _run(collectors[0], _training(list_callback=collectors))


class TestR03:
    def test_steps_are_recorded_at_their_turn(self, tmp_path: Path) -> None:
        with SummaryRecord(tmp_path) as record:
            callback = Step(record, flush_step=5)
            with callback:
                for step in range(1, 13):
                    record.add_value("scalar", "loss", step)
                    callback.step_end(_context(Training(mode="train", cur_step_num=step)))
            assert callback.summary_file_name == record.log_dir
            record.add_value("scalar", "later", 1)
            assert record.record(13)  # it is still open

        assert values(tmp_path, _SCALAR)["loss"] == {5: 5, 10: 10, 13: 12}

    @pytest.mark.parametrize("steps", [0, -1, 1.5, True])
    def test_the_number_of_steps_is_checked(self, tmp_path: Path, steps: Any) -> None:
        with SummaryRecord(tmp_path) as record, pytest.raises(ValueError, match="flush_step"):
            Step(record, steps)

    @pytest.mark.parametrize("as_folder", [False, True])
    def test_lineage_is_recorded_at_the_end(self, tmp_path: Path, as_folder: bool) -> None:
        with SummaryRecord(tmp_path) as record:
            place = str(tmp_path) if as_folder else record
            trained, evaluated = Trained(place, user_defined_info={"a": 1}), Evaluated(place)
            training = _training()
            evaluation = Training(mode="eval", metrics={"acc": 1.0})
            for callback, context in ((trained, _context(training)), (evaluated, _context(evaluation))):
                callback.begin(context)
                callback.end(context)

        kinds = [next(kind for kind in (_TRAIN, _EVAL, _CUSTOM) if kind in event) for event in lineage_events(tmp_path)]
        assert kinds == [_CUSTOM, _TRAIN, _EVAL]

    @pytest.mark.parametrize("raises", [False, True])
    def test_trouble_is_logged_or_raised(self, tmp_path: Path, raises: bool, caplog: pytest.LogCaptureFixture) -> None:
        with SummaryRecord(tmp_path) as record:
            callback = Evaluated(record, raise_exception=raises)
            context = _context(Training(mode="eval", metrics=["no", "mapping", object()]))
            if raises:
                with pytest.raises(TypeError, match="metrics: expected numbers"):
                    callback.end(context)
            else:
                callback.end(context)
                assert "lineage is not recorded" in caplog.text


@pytest.mark.parametrize("kind", [SummaryCollector, TrainLineage, EvalLineage, SummaryStep])
def test_without_mindspore_they_say_what_is_missing(tmp_path: Path, kind: Any) -> None:
    with pytest.raises(ImportError, match=r"mindinsight_like\..* needs mindspore"):
        kind(tmp_path)
