"""Our part of the callbacks for Lightning, Keras and Hugging Face; tests/compat runs the real frameworks."""

from __future__ import annotations

import pickle
import subprocess
import sys
from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from mindinsight_like import HuggingFaceCallback, KerasCallback, LightningLogger, SummaryWriter
from mindinsight_like.logs.kinds import Dialect, Kind, parse_key
from mindinsight_like.logs.scanner import Scanner
from mindinsight_like.writers.callbacks.framework_class import FrameworkClass, first_module
from mindinsight_like.writers.tensorboard.run_parameters import flattened


class Framework:
    """Takes the place of the frameworks' classes, which add nothing that these tests need."""


class Logger(LightningLogger):
    @classmethod
    def framework_class(cls) -> type:
        return Framework


class OfKeras(KerasCallback):
    @classmethod
    def framework_class(cls) -> type:
        return Framework


class OfTrainer(HuggingFaceCallback):
    @classmethod
    def framework_class(cls) -> type:
        return Framework


def _read(folder: Path) -> tuple[dict[str, list[tuple[int, float]]], set[tuple[Kind, str]]]:
    """The points of every scalar in a folder, and the names of everything else."""
    scalars: dict[str, list[tuple[int, float]]] = {}
    others = set()
    for path in sorted(folder.glob("events.out.tfevents.*")):
        scanner = Scanner(Dialect.TENSORBOARD)
        scanner.feed(path.read_bytes(), at_end=True)
        batch = scanner.take()
        names = [parse_key(key) for key in batch.keys]
        for place, number in enumerate(batch.scalar_numbers):
            part = slice(int(batch.scalar_starts[place]), int(batch.scalar_starts[place + 1]))
            points = zip(batch.steps[part].tolist(), batch.values[part].tolist(), strict=True)
            scalars.setdefault(names[number].tag, []).extend(points)
        others |= {(names[number].kind, names[number].tag) for number in batch.blob_numbers}
    return scalars, others


class TestLightning:
    def test_metrics_become_scalars(self, tmp_path: Path) -> None:
        logger = Logger(tmp_path, name="net", prefix="p")

        logger.log_metrics({"loss": 0.5, "array": np.array([2.0])}, 3)
        logger.log_metrics({"pair": {"a": 1, "b": 2}}, 4)
        logger.finalize("success")

        folder = tmp_path / "net" / "version_0"
        assert _read(folder)[0] == {"p-loss": [(3, 0.5)], "p-array": [(3, 2.0)]}
        assert _read(folder / "p-pair" / "a")[0] == {"p-pair": [(4, 1.0)]}

    def test_versions_are_counted(self, tmp_path: Path) -> None:
        for name in ("version_0", "version_7", "version_x", "other"):
            (tmp_path / "net" / name).mkdir(parents=True)

        logger = Logger(tmp_path, name="net", sub_dir="inner")

        assert logger.version == 8
        assert logger.log_dir == str(tmp_path / "net" / "version_8" / "inner")
        assert Logger(tmp_path, name=None, version="named").log_dir == str(tmp_path / "named")

    def test_hyper_parameters_stand_beside_the_curves(self, tmp_path: Path) -> None:
        logger = Logger(tmp_path, version=0)

        logger.log_hyperparams(Namespace(rate=0.5, net={"width": 3}), {"val/loss": 1.0})
        logger.log_hyperparams({"seed": 1})
        logger.experiment.close()

        scalars, others = _read(Path(logger.log_dir))
        assert scalars == {"val/loss": [(0, 1.0)], "hp_metric": [(0, -1.0)]}
        assert {kind for kind, _ in others} == {Kind.HPARAMS}
        assert logger.hparams == {"rate": 0.5, "net/width": 3, "seed": 1}

    def test_copies_belong_to_the_same_training(self, tmp_path: Path) -> None:
        logger = Logger(tmp_path)
        logger.log_metrics({"a": 1}, 0)

        copy = pickle.loads(pickle.dumps(logger))
        copy.log_metrics({"a": 2}, 1)
        for one in (logger, copy):
            one.finalize("success")

        assert isinstance(copy, Logger) and isinstance(copy, Framework)
        assert copy.log_dir == logger.log_dir
        assert sorted(_read(Path(logger.log_dir))[0]["a"]) == [(0, 1.0), (1, 2.0)]

    def test_other_processes_write_nothing(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        marker = SimpleNamespace(rank_zero_only=SimpleNamespace(rank=1))
        monkeypatch.setitem(sys.modules, "lightning_utilities.core.rank_zero", marker)
        logger = Logger(tmp_path)

        logger.log_metrics({"a": 1}, 0)
        logger.log_hyperparams({"a": 1})
        logger.experiment.add_scalar("b", 1, 0)
        logger.finalize("success")

        assert list(tmp_path.iterdir()) == []


class TestKeras:
    @staticmethod
    def _model() -> Any:
        weight = SimpleNamespace(name="kernel", path="dense/kernel", numpy=lambda: np.arange(3.0))
        optimizer = SimpleNamespace(learning_rate=np.float32(0.25), iterations=np.array(12))
        return SimpleNamespace(optimizer=optimizer, layers=[SimpleNamespace(weights=[weight])])

    def _train(self, callback: Any) -> None:
        callback.model = self._model()
        callback.on_train_begin()
        for epoch in range(2):
            callback.on_epoch_begin(epoch)
            for batch in range(3):
                callback.on_train_batch_end(batch, {"loss": batch})
            callback.on_test_end({"loss": 9})
            callback.on_epoch_end(epoch, {"loss": epoch, "val_loss": 2 * epoch})
        callback.on_train_end()

    def test_epochs_are_recorded_in_two_folders(self, tmp_path: Path) -> None:
        self._train(OfKeras(tmp_path))

        assert _read(tmp_path / "train")[0] == {
            "epoch_loss": [(0, 0.0), (1, 1.0)],
            "epoch_learning_rate": [(0, 0.25), (1, 0.25)],
        }
        assert _read(tmp_path / "validation")[0] == {"epoch_loss": [(0, 0.0), (1, 2.0)]}

    def test_batches_weights_and_speed_are_recorded_on_demand(self, tmp_path: Path) -> None:
        self._train(OfKeras(tmp_path, histogram_freq=2, update_freq=2, write_steps_per_second=True))

        scalars, others = _read(tmp_path / "train")
        assert scalars["batch_loss"] == [(2, 1.0), (4, 0.0), (6, 2.0)]
        assert [step for step, _ in scalars["epoch_steps_per_second"]] == [0, 1]
        assert others == {(Kind.HISTOGRAM, "dense/kernel/histogram")}

    def test_an_evaluation_by_itself_is_complete_when_it_ends(self, tmp_path: Path) -> None:
        callback: Any = OfKeras(tmp_path)
        callback.model = self._model()

        callback.on_test_end({"loss": 0.5})

        assert _read(tmp_path / "validation")[0] == {"evaluation_loss_vs_iterations": [(12, 0.5)]}

    @pytest.mark.parametrize("frequency", ["never", 0, -1])
    def test_bad_frequencies_are_refused(self, tmp_path: Path, frequency: Any) -> None:
        with pytest.raises(ValueError, match="update_freq"):
            OfKeras(tmp_path, update_freq=frequency)


class TestHuggingFace:
    @staticmethod
    def _args(folder: Path) -> Any:
        return SimpleNamespace(
            output_dir=str(folder), to_json_string=lambda: "{}", to_sanitized_dict=lambda: {"rate": 0.5, "seed": 1}
        )

    def _train(self, callback: Any, folder: Path, *, first: bool = True) -> None:
        args, state = self._args(folder), SimpleNamespace(is_world_process_zero=first, global_step=5, trial_name=None)
        callback.on_train_begin(args, state, None, model=SimpleNamespace(config=args))
        logs = {"loss": 0.5, "eval_loss": 0.25, "test_acc": np.float64(1), "note": "text", "bad": [1, 2]}
        callback.on_log(args, state, None, logs=logs)
        callback.on_train_end(args, state, None)
        callback.on_log(args, state, None, logs={"eval_loss": 0.125})
        callback.on_evaluate(args, state, None)

    def test_what_the_trainer_logs_is_recorded(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        self._train(OfTrainer(tmp_path / "log"), tmp_path)

        scalars, others = _read(tmp_path / "log")
        assert scalars == {"train/loss": [(5, 0.5)], "eval/loss": [(5, 0.25), (5, 0.125)], "test/acc": [(5, 1.0)]}
        assert {tag.removesuffix("/text_summary") for kind, tag in others if kind is Kind.TEXT} == {
            "args",
            "model_config",
            "train/note",
        }
        assert {kind for kind, _ in others} == {Kind.TEXT, Kind.HPARAMS}
        assert "bad is not recorded" in caplog.text

    def test_logs_stay_in_the_output_folder_by_default(self, tmp_path: Path) -> None:
        self._train(OfTrainer(), tmp_path)

        (folder,) = (tmp_path / "runs").iterdir()
        assert set(_read(folder)[0]) == {"train/loss", "eval/loss", "test/acc"}

    def test_a_writer_of_the_user_stays_open(self, tmp_path: Path) -> None:
        with SummaryWriter(str(tmp_path / "log")) as writer:
            self._train(OfTrainer(writer), tmp_path)
            writer.add_scalar("later", 1.0, 6)

        assert _read(tmp_path / "log")[0]["later"] == [(6, 1.0)]
        assert len(list((tmp_path / "log").glob("events.*"))) == 1

    def test_other_processes_write_nothing(self, tmp_path: Path) -> None:
        self._train(OfTrainer(tmp_path / "log"), tmp_path, first=False)

        assert list(tmp_path.iterdir()) == []


class TestParameters:
    def test_inner_ones_are_joined_by_slashes(self) -> None:
        @dataclass
        class Net:
            width: int = 3

        parameters = {"net": Net(), "opt": {"sgd": {"rate": 0.5}}, "list": [1, 2], 7: None}

        assert flattened(parameters) == {"net/width": 3, "opt/sgd/rate": 0.5, "list": [1, 2], "7": None}
        assert flattened(Namespace(a=1)) == {"a": 1}
        assert flattened(None) == {}

    def test_other_things_are_refused(self) -> None:
        with pytest.raises(TypeError, match="a mapping or a namespace"):
            flattened([1, 2])


class TestFrameworkClass:
    def test_objects_belong_to_both_classes(self) -> None:
        class Theirs:
            def __init__(self) -> None:
                self.is_theirs = True

        class Ours(FrameworkClass):
            def __init__(self, value: int) -> None:
                super().__init__()
                self.value = value

            @classmethod
            def framework_class(cls) -> type:
                return Theirs

        class Mine(Ours):
            pass

        made: Any = Mine(3)

        assert isinstance(made, Mine) and isinstance(made, Theirs)
        assert made.value == 3 and made.is_theirs
        assert type(made) is type(Mine(4)) and type(made) is not type(Ours(3))

    def test_the_first_module_that_can_be_imported_is_taken(self) -> None:
        assert first_module("no_such_module", "json.decoder", purpose="a test").__name__ == "json.decoder"
        with pytest.raises(ImportError, match=r"a test needs no_such_module or no_such\.inner"):
            first_module("no_such_module", "no_such.inner", purpose="a test")


@pytest.mark.parametrize(
    ("kind", "needed"),
    [(LightningLogger, "lightning"), (KerasCallback, "keras"), (HuggingFaceCallback, "transformers")],
)
def test_without_the_framework_they_say_what_is_missing(kind: Any, needed: str) -> None:
    with pytest.raises(ImportError, match=rf"mindinsight_like\.{kind.__name__} needs {needed}"):
        kind()


def test_importing_them_imports_no_framework() -> None:
    program = (
        "import sys, mindinsight_like as mi\n"
        "mi.LightningLogger, mi.KerasCallback, mi.HuggingFaceCallback, mi.SummaryCollector, mi.TrainLineage\n"
        "print(*sorted({name.split('.')[0] for name in sys.modules}\n"
        "      & {'numpy', 'torch', 'lightning', 'keras', 'transformers', 'mindspore', 'flask', 'pandas'}))\n"
    )

    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert answer.stdout.strip() == ""
