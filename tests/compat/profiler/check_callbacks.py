"""Train in the loops of the frameworks of this environment; our callbacks tell the profiler their steps."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import mindinsight_like as mi
from mindinsight_like.profiler.analysis.analysed import Analysed

BATCHES = 6
BATCH = 4
SCHEDULE = mi.schedule(wait=2, active=3, repeat=1)


def main() -> None:
    told = []
    for name, train in {
        "keras": keras,
        "lightning": lightning,
        "transformers": hugging_face,
        "paddle": paddle,
        "mindspore": mindspore,
    }.items():
        if not importlib.util.find_spec(name) or (name == "keras" and importlib.util.find_spec("mindspore")):
            continue
        with contextlib.redirect_stdout(io.StringIO()):
            train(lambda callback, name=name: callback(f"by-folder-{name}", schedule=SCHEDULE))
            profiler = mi.Profiler(f"by-profiler-{name}", schedule=SCHEDULE)
            train(lambda callback, profiler=profiler: callback(profiler))
            profiler.analyse()
        for folder in (f"by-folder-{name}", f"by-profiler-{name}"):
            (result,) = Path(folder, "analysis").glob("*/columns")
            steps = [step["number"] for step in Analysed.open(result).steps()["steps"]]
            assert steps == [2, 3, 4], (folder, steps)
        told.append(name)
    if importlib.util.find_spec("mindspore"):
        told.append(spec_script())
    print("steps are marked by callbacks for", ", ".join(told))


def data() -> tuple[Any, Any]:
    x = np.random.default_rng(1).random((BATCHES * BATCH, 8)).astype(np.float32)
    return x, x.sum(axis=1, keepdims=True)


def keras(made: Callable[[Any], Any]) -> None:
    os.environ.setdefault("KERAS_BACKEND", "torch")
    import keras

    model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(4), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(*data(), batch_size=BATCH, verbose=0, callbacks=[made(mi.KerasProfilerCallback)])


def lightning(made: Callable[[Any], Any]) -> None:
    import torch
    from lightning.pytorch import LightningModule, Trainer
    from torch.utils.data import DataLoader, TensorDataset

    class Net(LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(8, 1)

        def training_step(self, batch: Any, number: int) -> Any:
            return (self.layer(batch[0]) - batch[1]).square().mean()

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), lr=0.1)

    batches = DataLoader(TensorDataset(*map(torch.from_numpy, data())), batch_size=BATCH)
    trainer = Trainer(
        max_epochs=1,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        accelerator="cpu",
        callbacks=[made(mi.LightningProfilerCallback)],
    )
    trainer.fit(Net(), batches)


def hugging_face(made: Callable[[Any], Any]) -> None:
    import torch
    from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

    config = BertConfig(
        vocab_size=50, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8, num_labels=2
    )
    words = [{"input_ids": torch.arange(6) + n, "labels": torch.tensor(n % 2)} for n in range(BATCHES * BATCH)]
    arguments = TrainingArguments(
        output_dir="hugging-face",
        num_train_epochs=1,
        per_device_train_batch_size=BATCH,
        save_strategy="no",
        report_to=[],
        use_cpu=True,
        disable_tqdm=True,
    )
    callbacks = [made(mi.HuggingFaceProfilerCallback)]
    Trainer(BertForSequenceClassification(config), arguments, train_dataset=words, callbacks=callbacks).train()


def paddle(made: Callable[[Any], Any]) -> None:
    import paddle

    model = paddle.Model(paddle.nn.Linear(8, 1))
    model.prepare(paddle.optimizer.SGD(parameters=model.parameters()), paddle.nn.MSELoss())
    batches = paddle.io.TensorDataset([paddle.to_tensor(each) for each in data()])
    model.fit(batches, batch_size=BATCH, verbose=0, num_workers=0, callbacks=made(mi.PaddleProfilerCallback))


def mindspore(made: Callable[[Any], Any], **more: Any) -> None:
    model, batches = _mindspore_model()
    model.train(1, batches, callbacks=[made(mi.MindSporeProfilerCallback)], dataset_sink_mode=False)


def spec_script() -> str:
    """The script of MindInsight's documentation, which marks no steps: they are told by how often operators ran."""
    from mindspore import context

    context.set_context(mode=context.GRAPH_MODE)
    with contextlib.redirect_stdout(io.StringIO()):
        profiler = mi.Profiler(output_path="spec", is_detail=True, is_show_op_path=False, subgraph="all")
        model, batches = _mindspore_model()
        model.train(2, batches, dataset_sink_mode=False)
        profiler.analyse()
    (result,) = Path("spec", "analysis").glob("*/columns")
    found = Analysed.open(result).steps()
    assert found["total"] == 2 * BATCHES, found["total"]
    assert all(step["parts"]["compute"] > 0 for step in found["steps"])
    return "and the script of MindInsight's documentation has steps"


def _mindspore_model() -> Any:
    from mindspore import Model, dataset, nn

    network = nn.Dense(8, 1)
    model = Model(network, nn.MSELoss(), nn.SGD(network.trainable_params(), 0.1))
    x, y = data()
    return model, dataset.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(BATCH)


if __name__ == "__main__":
    main()
