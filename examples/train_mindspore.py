"""Train LeNet in MindSpore with curves, weights, the computation graph, lineage and a profile, all from callbacks.

Needs mindspore and numpy<2. Run it, then open the board:

    python examples/train_mindspore.py
    app start --summary-base-dir runs

Look at run `mindspore`:

- Scalars: `loss/auto`
- Images: `input_data/auto`
- Computation graph: `Conv2D`, `MaxPool`, `MatMul`
- Model lineage: `network`, `optimizer`, `learning_rate`, `train_dataset_count`, `metric/accuracy`, `user_defined/data`
- Data pipeline: `Map`, `Shuffle`, `Batch`: what happens to the images before training
- Profiler: `Conv2D`, `MaxPool` among the operator types, and the four recorded `step`
"""

import mindspore.dataset as ds
import numpy as np
from mindspore import GRAPH_MODE, Model, nn, set_context, set_device, set_seed
from mindspore.dataset import vision

import mindinsight_like as mi

RUN = "runs/mindspore"
EPOCHS, BATCH_SIZE, LEARNING_RATE = 2, 32, 0.05


class LeNet5(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.SequentialCell(
            *(nn.Conv2d(1, 6, 5, pad_mode="valid"), nn.ReLU(), nn.MaxPool2d(2, 2)),
            *(nn.Conv2d(6, 16, 5, pad_mode="valid"), nn.ReLU(), nn.MaxPool2d(2, 2)),
            *(nn.Flatten(), nn.Dense(400, 120), nn.ReLU(), nn.Dense(120, 84), nn.ReLU(), nn.Dense(84, 10)),
        )

    def construct(self, images):
        return self.layers(images)


def make_digits(count, seed):
    """Images of a bright square whose place tells the class, as a pipeline of MindSpore."""
    random = np.random.default_rng(seed)
    images, labels = random.integers(0, 90, (count, 32, 32, 1), np.uint8), random.integers(0, 10, count, np.int32)
    for image, label in zip(images, labels, strict=True):
        top, left = 4 + 12 * (label // 5), 1 + 6 * (label % 5)
        image[top : top + 12, left : left + 6] += 150
    data = ds.NumpySlicesDataset({"image": images, "label": labels}, shuffle=False)
    data = data.map([vision.Rescale(1 / 255, 0), vision.HWC2CHW()], input_columns="image")
    return data.shuffle(64).batch(BATCH_SIZE, drop_remainder=True)


def main():
    set_device("CPU")
    set_context(mode=GRAPH_MODE)
    set_seed(1)
    network = LeNet5()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    model = Model(network, loss, nn.Momentum(network.trainable_params(), LEARNING_RATE, 0.9), metrics={"accuracy"})
    collector = mi.SummaryCollector(
        RUN, collect_freq=5, custom_lineage_data={"data": "squares"}, collect_specified_data={"collect_landscape": None}
    )
    profiler = mi.MindSporeProfilerCallback(RUN, schedule=mi.schedule(wait=9, warmup=1, active=4, repeat=1))
    model.train(EPOCHS, make_digits(1024, seed=0), callbacks=[collector, profiler], dataset_sink_mode=False)
    print(model.eval(make_digits(256, seed=1), callbacks=[collector], dataset_sink_mode=False))


if __name__ == "__main__":
    main()
