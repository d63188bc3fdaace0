"""Train a classifier of bright corners with paddle.Model: one callback for the curves, one for the profile.

Needs paddlepaddle. Run it, then open the board:

    python examples/train_paddle.py
    app start --summary-base-dir runs

Look at run `paddle`:

- Scalars: `train/loss`, `train/acc`, `eval/loss`, `eval/acc`
- Images: `corners`, nine samples in a grid
- Computation graph: `matmul`, `relu` among the operators
- Hyperparameters: `lr`, `hidden`, and the last `eval/acc`
- Profiler: `Linear`, `Gradient Backward` among the operator types, and the four recorded `step`
"""

import numpy as np
import paddle

import mindinsight_like as mi

RUN = "runs/paddle"
LEARNING_RATE, HIDDEN = 0.01, 32


def make_corners(count, seed):
    """Noisy images of 8 x 8 pixels, of which one corner is bright; the class is the number of that corner."""
    random = np.random.default_rng(seed)
    images = random.random((count, 1, 8, 8), dtype="float32") / 2
    corners = random.integers(0, 4, count)
    for image, corner in zip(images, corners, strict=True):
        top, left = 5 * (corner // 2), 5 * (corner % 2)
        image[0, top : top + 3, left : left + 3] += 0.5
    return images, paddle.io.TensorDataset([paddle.to_tensor(images), paddle.to_tensor(corners.reshape(-1, 1))])


def main():
    paddle.seed(0)
    images, train_data = make_corners(512, seed=0)
    _, test_data = make_corners(128, seed=1)
    network = paddle.nn.Sequential(
        paddle.nn.Flatten(), paddle.nn.Linear(64, HIDDEN), paddle.nn.ReLU(), paddle.nn.Linear(HIDDEN, 4)
    )
    model = paddle.Model(network)
    optimizer = paddle.optimizer.Adam(LEARNING_RATE, parameters=network.parameters())
    model.prepare(optimizer, paddle.nn.CrossEntropyLoss(), paddle.metric.Accuracy())
    callbacks = [
        mi.VisualDLCallback(RUN),
        mi.PaddleProfilerCallback(RUN, schedule=mi.schedule(wait=5, warmup=1, active=4, repeat=1)),
    ]
    model.fit(train_data, test_data, batch_size=32, epochs=5, verbose=0, num_workers=0, callbacks=callbacks)

    with mi.LogWriter(RUN) as writer:
        writer.add_image_matrix("corners", images[:9].transpose(0, 2, 3, 1), step=0, rows=3)
        writer.add_hparams({"lr": LEARNING_RATE, "hidden": HIDDEN}, metrics_list=["eval/acc"])
        writer.add_graph(network, [paddle.static.InputSpec([None, 1, 8, 8], "float32")])


if __name__ == "__main__":
    main()
