"""The same trainings with MindSpore's SummaryCollector and with ours give the same records.

Then the example of the r0.3 documentation, with only its imports changed. Run in an environment with mindspore and
numpy<2.
"""

import json
import pickle
import tempfile
import time
from pathlib import Path

import mindspore
import mindspore.dataset as ds
import numpy as np
from messages import events, lineage, values
from mindspore import Model, nn
from mindspore.ops import operations as P  # noqa: N812 - the name that MindSpore's documentation uses
from mindspore.train import Callback
from mindspore.train import SummaryCollector as OriginalCollector

import mindinsight_like as mi

CUSTOM = {"seed": 3, "note": "tiny", "factor": 0.5}


class Net(nn.Cell):
    """A tiny classifier that records with every summary operator."""

    def __init__(self):
        super().__init__()
        self.flatten = nn.Flatten()
        self.dense = nn.Dense(36, 3)
        self.scalar, self.image = P.ScalarSummary(), P.ImageSummary()
        self.tensor, self.histogram = P.TensorSummary(), P.HistogramSummary()
        self.mean = P.ReduceMean()

    def construct(self, x):
        y = self.dense(self.flatten(x))
        self.scalar("mean", self.mean(y))
        self.image("seen", x)
        self.tensor("answers", y)
        self.histogram("spread", y)
        return y


def data():
    """Three classes of tiny pictures."""
    random = np.random.default_rng(1)
    labels = random.integers(0, 3, 48).astype(np.int32)
    pictures = (random.random((48, 1, 6, 6)) + labels[:, None, None, None]).astype(np.float32)
    return ds.NumpySlicesDataset({"x": pictures, "label": labels}, shuffle=False).batch(8)


def model():
    """The same model every time."""
    mindspore.set_seed(1)
    net = Net()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
    return Model(net, loss, optimizer, metrics={"acc": nn.Accuracy()})


def train(collector, *, sink=False):
    """Train and evaluate with a collector."""
    trained = model()
    trained.train(3, data(), callbacks=[collector], dataset_sink_mode=sink)
    time.sleep(1.1)  # MindSpore's evaluation would overwrite the files of a training that began in the same second
    trained.eval(data(), callbacks=[collector], dataset_sink_mode=sink)


def compare(folder, *, sink=False, **options):
    """Train once with each collector and compare what they wrote."""
    for name, kind in (("theirs", OriginalCollector), ("ours", mi.SummaryCollector)):
        train(kind(str(folder / name), custom_lineage_data=CUSTOM, **options), sink=sink)
    ours, theirs = values(folder / "ours"), values(folder / "theirs")
    assert set(ours) == set(theirs), (sorted(map(str, ours)), sorted(map(str, theirs)))
    for key in theirs:
        if key == "graph":
            assert len(ours[key][0].node) == len(theirs[key][0].node) > 5
            assert [node.op_type for node in ours[key][0].node] == [node.op_type for node in theirs[key][0].node]
            continue
        assert list(ours[key]) == sorted(theirs[key]), (key, list(ours[key]), list(theirs[key]))
        for step, value in theirs[key].items():
            assert same(ours[key][step], value), (key, step, ours[key][step], value)
    compare_lineage(lineage(folder / "ours"), lineage(folder / "theirs"))
    print(f"sink={sink} {options}: {len(ours)} tags are the same, and so is the lineage")


def same(one, other):
    """Equal, numbers nearly: trainings differ in the last bit from run to run."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float):
        return np.isclose(one, other, rtol=1e-4, atol=1e-6)
    return one == other


def compare_lineage(ours, theirs):
    """The same messages, whatever their order."""
    ours = {event.WhichOneof("what"): event for event in ours}
    theirs = {event.WhichOneof("what"): event for event in theirs}
    everything = {"train_lineage", "evaluation_lineage", "dataset_graph", "user_defined_info"}
    assert set(ours) == set(theirs) == everything, (set(ours), set(theirs))
    for what in theirs:
        one, other = getattr(ours[what], what), getattr(theirs[what], what)
        if what == "train_lineage":
            assert np.isclose(one.algorithm.loss, other.algorithm.loss, rtol=1e-4)
            one.algorithm.loss = other.algorithm.loss
        assert one == other, (what, one, other)


def check_landscape_points(folder):
    """The points kept for a landscape are those that MindSpore keeps, and it can load them."""
    wanted = {"collect_landscape": {"intervals": [[1, 2, 3, 4]], "landscape_size": 4, "unit": "step"}}
    for name, kind in (("theirs", OriginalCollector), ("ours", mi.SummaryCollector)):
        train(kind(str(folder / name), collect_specified_data=wanted))
    notes = {}
    for name in ("theirs", "ours"):
        notes[name] = json.loads((folder / name / "ckpt_dir" / "train_metadata.json").read_text())
        files = notes[name].pop("model_params_file_map")
        assert list(files) == ["1", "2", "3", "4"]
        notes[name]["parameters"] = [sorted(mindspore.load_checkpoint(file)) for file in files.values()]
        notes[name]["files"] = [Path(file).name for file in files.values()]
    assert notes["ours"] == notes["theirs"], notes
    print("the points for a loss landscape are those that MindSpore keeps")


def check_r03(folder):
    """The example of the r0.3 documentation with only its imports changed."""
    from mindinsight_like import EvalLineage, SummaryRecord, SummaryStep, TrainLineage

    epoch = 2
    trained = model()
    net = trained.predict_network  # the user's own, which is compiled only as a part of the training's
    with SummaryRecord(log_dir=str(folder), network=net) as summary_writer:
        summary_callback = SummaryStep(summary_writer, flush_step=5)
        train_callback = TrainLineage(summary_writer, user_defined_info=CUSTOM)
        trained.train(epoch, data(), callbacks=[summary_callback, train_callback])
        eval_callback = EvalLineage(summary_writer)
        trained.eval(data(), callbacks=[eval_callback])
        assert summary_callback.summary_file_name == summary_writer.log_dir

    found = values(folder)
    assert list(found["mean", "scalar_value"]) == list(found["seen", "image"]) == [5, 10]
    assert len(found["graph"][0].node) > 5
    assert [event.WhichOneof("what") for event in lineage(folder)] == [
        "user_defined_info",
        "dataset_graph",
        "train_lineage",
        "evaluation_lineage",
    ]
    train_message = lineage(folder)[2].train_lineage
    assert train_message.algorithm.network == "Net" and train_message.train_dataset.train_dataset_size == 48
    assert "acc" in json.loads(lineage(folder)[3].evaluation_lineage.metric)
    print("the example of r0.3 works")


def check_fit(folder):
    """An evaluation between epochs neither stops the records nor mixes with them.

    MindSpore knows the name SummaryCollector and leaves such a callback out of these evaluations.
    """

    class Mine(mi.SummaryCollector):
        pass

    for kind, evaluations in ((mi.SummaryCollector, 0), (Mine, 2)):
        place = folder / kind.__name__
        collector = kind(str(place), collect_freq=1, collect_specified_data={"collect_landscape": None})
        model().fit(2, data(), data(), callbacks=[collector])

        found = values(place)
        assert list(found["mean", "scalar_value"]) == list(found["loss/auto", "scalar_value"]) == list(range(1, 13))
        assert sum(event.HasField("evaluation_lineage") for event in lineage(place)) == evaluations
        assert len(list(place.glob("*_MS"))) == 1
    print("Model.fit works")


def check_uncompiled(folder):
    """Without compiled graphs the operators' values are found, too; there is no graph then."""
    mindspore.set_context(mode=mindspore.PYNATIVE_MODE)
    trained = model()
    collector = mi.SummaryCollector(str(folder), collect_freq=2, collect_specified_data={"collect_landscape": None})
    trained.train(1, data(), callbacks=[collector], dataset_sink_mode=False)
    mindspore.set_context(mode=mindspore.GRAPH_MODE)

    found = values(folder)
    assert list(found["loss/auto", "scalar_value"]) == [1, 2, 4, 6]
    assert list(found["mean", "scalar_value"]) == [1, 2, 4, 6], found.keys()
    print("trainings without compiled graphs work")


def check_classes(folder):
    """Ours are callbacks of MindSpore, can be subclassed, and travel to other processes."""

    class Mine(mi.SummaryCollector):
        pass

    for kind in (mi.SummaryCollector, Mine):
        made = kind(str(folder))
        assert isinstance(made, Callback) and isinstance(made, kind)
    assert isinstance(pickle.loads(pickle.dumps(mi.SummaryCollector(str(folder)))), Callback)
    record = mi.SummaryRecord(folder)
    for callback in (mi.SummaryStep(record), mi.TrainLineage(record), mi.EvalLineage(str(folder))):
        assert isinstance(callback, Callback)
    with mi.SummaryRecord(folder) as other:  # several at once
        assert other.log_dir != record.log_dir
    record.close()
    assert not events(folder)
    print("the callbacks are MindSpore's")


if __name__ == "__main__":
    mindspore.set_context(mode=mindspore.GRAPH_MODE)
    mindspore.set_device("CPU")
    no_landscape = {"collect_landscape": None}
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        check_classes(root / "g")
        check_fit(root / "h")
        compare(root / "a", collect_freq=4, collect_specified_data=no_landscape)
        compare(
            root / "b",
            collect_freq=3,
            collect_tensor_freq=5,
            collect_specified_data={**no_landscape, "histogram_regular": ".*bias", "collect_metric": False},
        )
        compare(root / "c", sink=True, collect_freq=2, collect_specified_data=no_landscape)
        check_landscape_points(root / "d")
        check_r03(root / "e")
        check_uncompiled(root / "f")
    print("mindspore", mindspore.__version__, "numpy", np.__version__)
