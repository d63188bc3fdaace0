"""The scripts of MindInsight r0.3 in one: Summary operators, lineage callbacks and the Profiler, imports changed.

Needs mindspore and numpy<2. Run it, then open the board:

    python examples/mindinsight_r03.py
    app start --summary-base-dir runs

Look at run `mindinsight-r03`:

- Scalars: `loss`
- Images: `images`
- Histograms: `weight`
- Computation graph: `Conv2D`, `ScalarSummary`
- Model lineage: `network`, `optimizer`, `loss_function`, `epoch`, `batch_size`, `metric/accuracy`
- Data pipeline: `Batch`
- Profiler: `Conv2D` among the operator types, and every `step`
"""

import mindspore.dataset as ds
import mindspore.ops as P
import numpy as np
from mindspore import Model, context, nn

from mindinsight_like import SummaryRecord, SummaryStep  # were MindSpore's
from mindinsight_like.lineagemgr import EvalLineage, TrainLineage  # were: mindinsight.lineagemgr
from mindinsight_like.profiler import Profiler  # was: mindinsight.profiler

RUN = "runs/mindinsight-r03"


class CrossEntropyLoss(nn.Cell):
    def __init__(self):
        super().__init__()
        self.cross_entropy = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
        self.sm_scalar = P.ScalarSummary()

    def construct(self, logits, label):
        loss = self.cross_entropy(logits, label)
        self.sm_scalar("loss", loss)
        return loss


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.SequentialCell(nn.Conv2d(1, 4, 3, pad_mode="valid"), nn.ReLU(), nn.Flatten())
        self.fc = nn.Dense(4 * 6 * 6, 2)
        self.sm_image, self.sm_histogram = P.ImageSummary(), P.HistogramSummary()

    def construct(self, data):
        self.sm_image("images", data)
        self.sm_histogram("weight", self.fc.weight)
        return self.fc(self.layers(data))


def make_dataset(count, seed):
    """Noisy images of which the left half (class 0) or the right half (class 1) is bright."""
    random = np.random.default_rng(seed)
    images, labels = random.random((count, 1, 8, 8), np.float32), random.integers(0, 2, count, np.int32)
    for image, label in zip(images, labels, strict=True):
        image[..., 4 * label : 4 * label + 4] += 1
    return ds.NumpySlicesDataset({"image": images, "label": labels}, shuffle=False).batch(16)


def main():
    context.set_context(mode=context.GRAPH_MODE, device_target="CPU")
    profiler = Profiler(output_path=RUN, is_detail=True, is_show_op_path=False, subgraph="all")
    net = Net()
    optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.05, momentum=0.9)
    model = Model(net, loss_fn=CrossEntropyLoss(), optimizer=optimizer, metrics={"accuracy"})
    with SummaryRecord(log_dir=RUN, network=net) as summary_writer:
        callbacks = [SummaryStep(summary_writer, flush_step=2), TrainLineage(summary_writer)]
        model.train(2, make_dataset(160, seed=0), callbacks=callbacks, dataset_sink_mode=False)
        profiler.analyse()
        model.eval(make_dataset(64, seed=1), callbacks=[EvalLineage(summary_writer)], dataset_sink_mode=False)


if __name__ == "__main__":
    main()
