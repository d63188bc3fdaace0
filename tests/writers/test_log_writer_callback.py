"""The callback for paddle records what `paddle.callbacks.VisualDL` does; tests/compat/visualdl runs the real paddle."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from mindinsight_like import LogReader, VisualDLCallback


class Callback:
    """Stands in for the class of paddle from which callbacks inherit."""

    def set_params(self, params: dict[str, Any]) -> None:
        self.params = params


@pytest.fixture(autouse=True)
def paddle(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("paddle.callbacks")
    module.Callback = Callback  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "paddle.callbacks", module)


def _train(callback: Any) -> None:
    callback.set_params({"metrics": ["loss", "acc"], "epochs": 2, "steps": 2})
    callback.on_train_begin()
    for epoch in range(2):
        callback.on_epoch_begin(epoch)
        for step in range(2):
            callback.on_train_batch_end(step, {"loss": [1.0 / (step + 1)], "acc": 0.5, "batch_size": 4})
        callback.on_eval_begin({"metrics": ["loss", "acc"], "steps": 1})
        callback.on_eval_end({"loss": [0.25], "acc": 0.75})
    callback.on_train_end()


def test_batches_and_evaluations_become_scalars(tmp_path: Path) -> None:
    callback = VisualDLCallback(os.fspath(tmp_path))

    _train(callback)

    (log,) = tmp_path.glob("*vdlrecords*")
    reader = LogReader(file_path=log)
    assert isinstance(callback, Callback)
    assert {
        tag: [(value.id, value.value) for value in reader.get_data("scalar", tag)]
        for tag in reader.get_tags()["scalar"]
    } == {
        "train/loss": [(1, 1.0), (2, 0.5), (3, 1.0), (4, 0.5)],
        "train/acc": [(step, 0.5) for step in (1, 2, 3, 4)],
        "eval/loss": [(0, 0.25), (1, 0.25)],
        "eval/acc": [(0, 0.75), (1, 0.75)],
    }


def test_only_the_first_process_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PADDLE_TRAINER_ID", "1")

    _train(VisualDLCallback(tmp_path))

    assert list(tmp_path.iterdir()) == []


def test_an_evaluation_by_itself_is_complete_when_it_ends(tmp_path: Path) -> None:
    callback = VisualDLCallback(tmp_path)

    callback.on_eval_begin({"metrics": ["acc"]})
    callback.on_eval_end({"acc": 0.75})

    (log,) = tmp_path.glob("*vdlrecords*")
    assert [value.value for value in LogReader(file_path=log).get_data("scalar", "eval/acc")] == [0.75]
