"""Train a Keras model on two moons: one callback for curves and weights, one for the profile.

Needs keras and a backend, which `KERAS_BACKEND` selects: tensorflow, jax or torch. Run it, then open the board:

    python examples/train_keras.py
    app start --summary-base-dir runs

Look at run `keras/train`:

- Scalars: `epoch_loss`, `epoch_accuracy`, each in one chart with that of the validation
- Histograms: `sequential/hidden/kernel/histogram`
- Model lineage: `hparam/units`, `metric/accuracy`
- Profiler: `step`, of which five are recorded

Look at run `keras/validation`:

- Scalars: `epoch_loss`, `epoch_accuracy`
"""

import keras
import numpy as np

import mindinsight_like as mi

RUN = "runs/keras"
UNITS = 16


def make_moons(count):
    """Points on two interleaved half circles, with noise."""
    random = np.random.default_rng(0)
    label = random.integers(0, 2, count)
    angle = random.uniform(0, np.pi, count)
    x = np.where(label, 1 - np.cos(angle), np.cos(angle))
    y = np.where(label, 0.5 - np.sin(angle), np.sin(angle))
    points = np.stack([x, y], axis=1) + random.normal(0, 0.1, (count, 2))
    return points.astype("float32"), label.astype("float32")


def main():
    keras.utils.set_random_seed(0)
    model = keras.Sequential(
        [
            keras.Input((2,)),
            keras.layers.Dense(UNITS, activation="relu", name="hidden"),
            keras.layers.Dense(1, activation="sigmoid", name="output"),
        ]
    )
    model.compile(keras.optimizers.Adam(0.02), "binary_crossentropy", metrics=["accuracy"])
    schedule = mi.schedule(skip_first=10, wait=4, warmup=1, active=5, repeat=1)
    history = model.fit(
        *make_moons(800),
        epochs=20,
        validation_split=0.25,
        verbose=0,
        callbacks=[
            mi.KerasCallback(RUN, histogram_freq=5),
            mi.KerasProfilerCallback(f"{RUN}/train", schedule=schedule),
        ],
    )
    mi.log_lineage(f"{RUN}/train", params={"units": UNITS}, metrics={"accuracy": history.history["val_accuracy"][-1]})


if __name__ == "__main__":
    main()
