"""Keras trainings on the torch backend are recorded as its TensorBoard callback would, which needs TensorFlow.

Run in an environment with keras, torch and tensorboard.
"""

import os
import pickle
import tempfile
from pathlib import Path

os.environ.setdefault("KERAS_BACKEND", "torch")

import keras
import numpy as np
import tensorboard
from keras.callbacks import Callback
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import mindinsight_like as mi

RANDOM = np.random.default_rng(1)
X = RANDOM.random((32, 3)).astype("float32")
Y = (X.sum(axis=1) > 1.5).astype("float32")


def model():
    """A tiny classifier, the same every time."""
    keras.utils.set_random_seed(1)
    made = keras.Sequential([keras.Input((3,)), keras.layers.Dense(4, name="first"), keras.layers.Dense(1)])
    made.compile(keras.optimizers.SGD(0.25), "mse", metrics=["accuracy"])
    return made


def read(folder):
    """What TensorBoard finds: scalars, histograms."""
    found = EventAccumulator(str(folder), size_guidance={"scalars": 0, "histograms": 0})
    found.Reload()
    scalars = {tag: [(one.step, one.value) for one in found.Scalars(tag)] for tag in found.Tags()["scalars"]}
    histograms = {tag: [one.step for one in found.Histograms(tag)] for tag in found.Tags()["histograms"]}
    return scalars, histograms


def check_epochs(folder):
    """The numbers of Keras's own history, under the tags of its TensorBoard callback."""
    history = model().fit(
        X, Y, batch_size=8, epochs=3, validation_split=0.25, verbose=0, callbacks=[mi.KerasCallback(folder)]
    )
    for part, prefix in (("train", ""), ("validation", "val_")):
        scalars, _ = read(folder / part)
        for metric in ("loss", "accuracy"):
            expected = [(epoch, float(np.float32(one))) for epoch, one in enumerate(history.history[prefix + metric])]
            assert scalars.pop(f"epoch_{metric}") == expected
        assert scalars == ({"epoch_learning_rate": [(0, 0.25), (1, 0.25), (2, 0.25)]} if part == "train" else {})
    print("epochs are recorded")


def check_batches(folder):
    """Batches, the speed, weights, and an evaluation by itself."""
    trained = model()
    callback = mi.KerasCallback(folder, histogram_freq=2, update_freq=3, write_steps_per_second=True)
    trained.fit(X, Y, batch_size=8, epochs=3, verbose=0, callbacks=[callback])
    losses = trained.evaluate(X, Y, verbose=0, callbacks=[callback], return_dict=True)

    scalars, histograms = read(folder / "train")
    assert [step for step, _ in scalars["batch_loss"]] == [3, 6, 9, 12]
    assert [step for step, _ in scalars["epoch_steps_per_second"]] == [0, 1, 2]
    assert all(steps == [0, 2] for steps in histograms.values()) and len(histograms) == 4
    assert any("first/kernel" in tag for tag in histograms), list(histograms)
    scalars, _ = read(folder / "validation")
    assert scalars["evaluation_loss_vs_iterations"] == [(12, float(np.float32(losses["loss"])))]
    print("batches, speed, weights and evaluations are recorded")


def check_class(folder):
    """Ours is a callback of Keras, can be subclassed, and travels to other processes."""

    class Mine(mi.KerasCallback):
        pass

    for kind in (mi.KerasCallback, Mine):
        assert isinstance(kind(folder), Callback) and isinstance(kind(folder), kind)
    assert isinstance(pickle.loads(pickle.dumps(mi.KerasCallback(folder))), Callback)
    print("the callback is Keras's")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        check_class(Path(name) / "a")
        check_epochs(Path(name) / "b")
        check_batches(Path(name) / "c")
    print("keras", keras.__version__, keras.backend.backend(), "tensorboard", tensorboard.__version__)
