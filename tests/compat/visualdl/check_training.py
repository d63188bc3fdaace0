"""Trainings with paddle: our callback beside paddle's own, model graphs, and the example of VisualDL's guide.

Run in an environment with paddlepaddle 3.3.1 and visualdl 2.5.3. The graphs of both are compared in a process of their
own with FLAGS_enable_pir_api=0, since VisualDL 2.5.3 cannot read programs of paddle 3.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import paddle
import paddle.nn.functional as F  # noqa: N812 - the name that paddle's documentation uses
import visualdl
from paddle.nn import Conv2D, Linear, MaxPool2D
from visualdl.reader.graph_reader import GraphReader
from visualdl.reader.reader import LogReader as TheirReader

import mindinsight_like as mi

IS_PIR = os.environ.get("FLAGS_enable_pir_api") != "0"  # noqa: SIM112 - paddle spells it so
SPEC = [paddle.static.InputSpec([-1, 1, 8, 8], "float32")]


class Digits(paddle.io.Dataset):
    """A few made-up pictures of ten classes."""

    def __init__(self, count=48):
        generator = np.random.default_rng(0)
        self.labels = generator.integers(0, 10, (count, 1))
        self.pictures = (generator.random((count, 1, 8, 8)) + self.labels[:, :, None, None] / 10).astype("float32")

    def __getitem__(self, index):
        return self.pictures[index], self.labels[index]

    def __len__(self):
        return len(self.labels)


class Net(paddle.nn.Layer):
    """A small network with a nested layer, functions outside of layers, and a layer that is used twice."""

    def __init__(self):
        super().__init__()
        self.conv = Conv2D(1, 4, 3, padding=1)
        self.inner = paddle.nn.Sequential(paddle.nn.ReLU(), MaxPool2D(2))
        self.same = Linear(64, 64)
        self.fc = Linear(64, 10)

    def forward(self, x):
        x = self.inner(self.conv(x))
        x = paddle.reshape(x, [x.shape[0], -1])
        return self.fc(F.relu(self.same(self.same(x))))


def check_callback(folder):
    """The same training with both callbacks gives the same scalars."""
    files = []
    for name, callback_class in (("theirs", paddle.callbacks.VisualDL), ("ours", mi.VisualDLCallback)):
        paddle.seed(1)
        model = paddle.Model(Net())
        model.prepare(
            paddle.optimizer.Adam(parameters=model.parameters()),
            paddle.nn.CrossEntropyLoss(),
            paddle.metric.Accuracy(),
        )
        callback = callback_class(str(folder / name))
        model.fit(
            Digits(), Digits(16), epochs=2, batch_size=16, verbose=0, shuffle=False, callbacks=callback, num_workers=0
        )
        model.evaluate(Digits(16), batch_size=16, verbose=0, callbacks=callback)
        files.append(sorted((folder / name).iterdir()))
    theirs, ours = (scalars(found) for found in files)

    assert set(theirs) == set(ours) == {"train/loss", "train/acc", "eval/loss", "eval/acc"}
    for tag, points in theirs.items():
        assert ours[tag] == points, (tag, ours[tag], points)
    assert isinstance(mi.VisualDLCallback(str(folder)), paddle.callbacks.Callback)
    print("the callback records what paddle's records:", {tag: len(points) for tag, points in ours.items()})


def scalars(files):
    """Tag to [step, value] of all files together."""
    found = {}
    for file in files:
        reader = TheirReader(file_path=str(file))
        for tag in reader.get_tags().get("scalar", []):
            found.setdefault(tag, []).extend([value.id, value.value] for value in reader.get_data("scalar", tag))
    return found


def check_graph(folder):
    """VisualDL draws our graph; without programs of paddle 3 it is also the one that VisualDL makes itself."""
    net = Net()
    with mi.LogWriter(str(folder / "ours")) as writer:
        writer.add_graph(net, SPEC)
        writer.add_graph(net, [paddle.rand([2, 1, 8, 8])])
    logs = sorted((folder / "ours").glob("vdlgraph*"))
    assert len(logs) == 2
    ours = json.loads(logs[0].read_text())

    reader = GraphReader(str(folder / "ours"))
    (run,) = reader.runs()
    drawn = reader.get_graph(run, expand_all=True)
    leaves = {node["name"] for node in ours["nodes"] if node["is_leaf_node"]}
    assert json.dumps(drawn), "VisualDL cannot draw it"
    assert {"/feed_0", "/fetch_0"} < leaves
    assert {node["name"] for node in ours["nodes"] if not node["is_leaf_node"]} == {
        *("/", "/Net[model]", "/Net[model]/Conv2D[conv]", "/Net[model]/Linear[fc]"),
        *("/Net[model]/Linear[same]", "/Net[model]/Linear[same]_1"),  # it is called twice
        *(f"/Net[model]/Sequential[inner]{rest}" for rest in ("", "/ReLU[0]", "/MaxPool2D[1]")),
    }
    assert type(net.forward).__name__ == "method" and net(paddle.rand([2, 1, 8, 8])).shape == [2, 10]
    assert "site-packages" not in logs[0].read_text()
    if not IS_PIR:
        with visualdl.LogWriter(str(folder / "theirs")) as writer:
            writer.add_graph(Net(), SPEC)
        (log,) = (folder / "theirs").glob("vdlgraph*")
        assert shape_of(ours) == shape_of(json.loads(log.read_text()))
    print(len(leaves), "operators of a graph are drawn by VisualDL", "(paddle 3)" if IS_PIR else "and equal to its own")


def shape_of(graph):
    """What does not depend on the numbers in names: how many nodes of each type every layer has, and edges."""
    nodes = {node["name"]: node for node in graph["nodes"]}

    def plain(name):
        return name if not nodes[name]["is_leaf_node"] else f"{nodes[name]['parent_node']}:{nodes[name]['type']}"

    return (
        sorted((plain(name), node["type"], sorted(map(plain, node["children_node"]))) for name, node in nodes.items()),
        sorted((plain(edge["from_node"]), plain(edge["to_node"]), len(edge["vars"])) for edge in graph["edges"]),
    )


def check_program(folder):
    """A static program has a graph, too."""
    paddle.enable_static()
    try:
        program = paddle.static.Program()
        with paddle.static.program_guard(program, paddle.static.Program()):
            data = paddle.static.data("x", [None, 4], "float32")
            paddle.static.nn.fc(data, 3, activation="relu")
        with mi.LogWriter(str(folder)) as writer:
            writer.add_graph(program, verbose=True)
    finally:
        paddle.disable_static()
    (log,) = folder.glob("vdlgraph*")
    assert {"feed", "relu"} <= {node["type"] for node in json.loads(log.read_text())["nodes"]}


def check_guide(folder):
    """The lines of VisualDL's guide, with only its import changed and other pictures."""
    logwriter = mi.LogWriter(logdir=str(folder))
    dataset = Digits()
    image_matrix = []
    for i in range(9):
        image, _label = dataset[i]
        image_matrix.append(image.transpose([1, 2, 0]) / 2)
    logwriter.add_image_matrix(tag="input_images", step=1, imgs=image_matrix, rows=-1)
    tags = [f"image_{i}" for i in range(9)]
    logwriter.add_embeddings("input_image_embeddings", mat=[img.reshape(-1) for img in image_matrix], metadata=tags)
    logwriter.add_hparams(
        hparams_dict={"lr": 0.001, "batch_size": 16, "opt": "sgd"},
        metrics_list=["train_avg_loss", "test_avg_loss", "test_avg_acc"],
    )
    model = Net()
    opt = paddle.optimizer.SGD(learning_rate=0.001, parameters=model.parameters())
    for batch_id, data in enumerate(paddle.io.DataLoader(dataset, batch_size=16, num_workers=0)):
        images, labels = data
        predicts = model(images)
        avg_loss = paddle.mean(F.cross_entropy(predicts, labels))
        logwriter.add_scalar("train_avg_loss", value=avg_loss.numpy(), step=batch_id)
        logwriter.add_scalar("train/loss", value=avg_loss, step=batch_id)
        logwriter.add_histogram("fc_weight", values=model.fc.weight.numpy(), step=batch_id)
        logwriter.add_histogram("fc_tensor", values=model.fc.weight, step=batch_id)
        avg_loss.backward()
        opt.step()
        opt.clear_grad()
    test_probs = F.softmax(predicts).numpy()
    test_preds = paddle.argmax(predicts, 1).numpy()
    for i in range(10):
        logwriter.add_pr_curve(f"class_{i}", labels=(test_preds == i), predictions=test_probs[:, i], step=0)
    logwriter.close()

    reader = TheirReader(file_path=logwriter.file_name)
    counts = {tag: len(reader.get_data(name, tag)) for name, tags in reader.get_tags().items() for tag in tags}
    assert counts["train_avg_loss"] == counts["train/loss"] == counts["fc_weight"] == counts["fc_tensor"] == 3
    assert counts["input_images"] == counts["input_image_embeddings"] == counts["class_9"] == counts["hparam"] == 1
    print("the example of the guide runs:", sum(counts.values()), "values")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as top:
        for name, check in (("graph", check_graph), ("program", check_program)):
            (Path(top) / name).mkdir()
            check(Path(top) / name)
        if IS_PIR:
            check_callback(Path(top) / "callback")
            check_guide(Path(top) / "guide")
            subprocess.run([sys.executable, __file__], env={**os.environ, "FLAGS_enable_pir_api": "0"}, check=True)
    print("paddle", paddle.__version__, "visualdl", visualdl.__version__, "PIR" if IS_PIR else "without PIR")
