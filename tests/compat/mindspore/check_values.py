"""Every value that SummaryRecord takes is encoded as MindSpore's own writer encodes it.

Run in an environment with mindspore and numpy<2.
"""

import tempfile
from pathlib import Path

import mindspore
import numpy as np
from google.protobuf.json_format import MessageToDict
from messages import comparable, events, lineage
from mindspore.train import anf_ir_pb2, lineage_pb2, summary_pb2
from mindspore.train.callback._dataset_graph import DatasetGraph
from mindspore.train.summary._summary_adapter import package_graph_event, package_summary_event

import mindinsight_like as mi
from mindinsight_like.writers.mindspore.lineage_events import dataset_graph

RANDOM = np.random.default_rng(7)
TYPES = ("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "bool")
SPECIAL = np.array([1.5, np.nan, np.inf, -np.inf, 0.25, np.nan], np.float32)


def scalars():
    """Numbers of every type, not finite ones among them."""
    for name in TYPES:
        yield f"scalar/{name}", np.asarray(1.7).astype(name)
    for number in (np.nan, np.inf, -np.inf, 0.0, 1e-30):
        yield f"scalar/{number}", np.float32(number)


def arrays():
    """Arrays of every type, sizes at the borders of the bin rule, not finite numbers, and only equal ones."""
    for name in TYPES:
        yield f"array/{name}", (RANDOM.random((3, 4)) * 100).astype(name)
    for size in (1, 2, 5, 6, 10, 11, 99, 100, 879, 880, 881, 5000):
        yield f"array/{size}", RANDOM.normal(size=size).astype(np.float32)
    yield "array/special", SPECIAL
    yield "array/none finite", SPECIAL[1:4]
    yield "array/equal", np.full(7, 3.25, np.float32)


def pictures():
    """Batches of every kind of values and of sizes that fill rows of eight or not."""
    for count in (1, 7, 8, 9, 20):
        yield f"picture/{count}", RANDOM.random((count, 3, 5, 4)).astype(np.float32)
    yield "picture/gray", RANDOM.random((2, 1, 6, 6)).astype(np.float32)
    yield "picture/bytes", RANDOM.integers(0, 256, (1, 3, 9, 7)).astype(np.uint8)
    yield "picture/dark bytes", RANDOM.integers(20, 90, (1, 3, 9, 7)).astype(np.uint8)
    yield "picture/signed", RANDOM.normal(size=(3, 3, 6, 6)).astype(np.float32)
    yield "picture/large", (RANDOM.random((1, 3, 6, 6)) * 1000).astype(np.float32)
    yield "picture/float64", RANDOM.normal(size=(1, 1, 6, 6))
    yield "picture/int32", RANDOM.integers(-50, 500, (1, 3, 6, 6)).astype(np.int32)
    yield "picture/one value", np.full((1, 3, 4, 4), 9, np.float32)


def check_summary(folder):
    """Values: ours, given as MindSpore tensors, against the original's encoder."""
    cases = [
        *(("scalar", tag, array) for tag, array in scalars()),
        *(("tensor", tag, array) for tag, array in arrays()),
        *(("histogram", tag, array) for tag, array in arrays() if array.dtype != bool),  # on which MindSpore fails
        *(("image", tag, array) for tag, array in pictures()),
    ]
    with mi.SummaryRecord(folder) as record:
        for plugin, tag, array in cases:
            record.add_value(plugin, tag, mindspore.Tensor(array))
        assert record.record(3)
    theirs = package_summary_event(
        [{"_type": plugin.title(), "name": tag, "data": array} for plugin, tag, array in cases], 3, 0.0
    )

    (ours,) = events(folder)

    assert ours.step == 3
    assert len(ours.summary.value) == len(theirs.summary.value) == len(cases)
    different = 0
    for (plugin, tag, array), our, their in zip(cases, ours.summary.value, theirs.summary.value, strict=True):
        kind = their.WhichOneof("value")
        assert (our.tag, our.WhichOneof("value")) == (tag, kind)
        if plugin == "histogram":
            check_histogram(our.histogram, their.histogram, array)
        elif repr(comparable(our, kind)) != repr(comparable(their, kind)):
            different += 1
            print("DIFFERENT", plugin, tag, comparable(our, kind), comparable(their, kind), sep="\n  ")
    assert not different
    print(f"{len(cases)} values are encoded as MindSpore encodes them")


def check_histogram(ours, theirs, array):
    """The same buckets; only their widths may differ in the last bit, being differences of rounded edges.

    MindSpore rounds the edges for whole numbers to whole numbers; ours are exact.
    """
    for field in ("count", "min", "max", "sum", "nan_count", "pos_inf_count", "neg_inf_count"):
        assert getattr(ours, field) == getattr(theirs, field), field
    assert len(ours.buckets) == len(theirs.buckets)
    if array.dtype.kind == "f":
        for our, their in zip(ours.buckets, theirs.buckets, strict=True):
            assert (our.left, our.count) == (their.left, their.count), (array.dtype, array.size)
            assert np.isclose(our.width, their.width, rtol=1e-2 if array.dtype == np.float16 else 1e-5)
    else:
        assert sum(bucket.count for bucket in ours.buckets) == ours.count


def check_messages(folder):
    """Graph, lineage and landscape messages of MindSpore's classes arrive unchanged."""
    model = anf_ir_pb2.ModelProto(ir_version=1)
    model.graph.name = "made by hand"
    model.graph.node.add(name="1", op_type="Conv2D", scope="Default")
    train = lineage_pb2.TrainLineage()
    train.hyper_parameters.optimizer = "Lamb"
    train.hyper_parameters.learning_rate = 0.25
    evaluation = lineage_pb2.EvaluationLineage(metric='{"acc": NaN}')
    custom = lineage_pb2.UserDefinedInfo()
    custom.user_info.add().map_int32["seed"] = 3
    landscape = summary_pb2.LossLandscape()
    landscape.landscape.z.float_data.extend([1, 2, 3])
    with mi.SummaryRecord(folder) as record:
        record.add_value("graph", "g", model.SerializeToString())
        record.add_value("train_lineage", "t", train)
        record.add_value("eval_lineage", "e", evaluation)
        record.add_value("custom_lineage_data", "c", custom)
        record.add_value("landscape", "landscape_[1]", landscape)
        record.record(1)

    graph_event, summary_event = events(folder)
    their_graph = package_graph_event(model.SerializeToString())

    assert graph_event.graph_def == their_graph.graph_def and not graph_event.HasField("step")
    assert summary_event.summary.value[0].loss_landscape == landscape
    assert [event.WhichOneof("what") for event in lineage(folder)] == [
        "train_lineage",
        "evaluation_lineage",
        "user_defined_info",
    ]
    assert lineage(folder)[0].train_lineage == train
    assert lineage(folder)[1].evaluation_lineage == evaluation
    assert lineage(folder)[2].user_defined_info == custom
    print("messages of MindSpore's classes arrive unchanged")


def check_mappings(folder):
    """Graphs, lineage and landscapes given as mappings are complete messages of MindSpore's classes."""
    with mi.SummaryRecord(folder) as record:
        record.add_value("train_lineage", "", mi.TrainInfo(network="Net", epoch=3, model_path="a.ckpt", loss=0.5))
        record.add_value("eval_lineage", "", {"metrics": {"acc": np.float32(0.5)}, "valid_dataset_size": 10})
        record.add_value("custom_lineage_data", "", {"seed": 1, "note": "x", "rate": 0.1, "big": 2**40})
        record.add_value(
            "graph",
            "",
            {
                "name": "net",
                "nodes": [
                    {
                        "name": "1",
                        "op_type": "Conv2D",
                        "inputs": ["x"],
                        "attributes": {"pad": [1, 2], "mode": "same", "bias": True, "rate": 0.5, "none": None},
                        "dtype": "float16",
                        "shape": [2, 3],
                    }
                ],
                "parameters": [{"name": "x", "shape": [4]}],
                "outputs": [{"name": "1"}],
                "constants": {"c": 3},
            },
        )
        axis = np.linspace(-1, 1, 3)
        record.add_value("landscape", "l", {"x": axis, "y": axis, "z": np.eye(3), "path": (axis, axis, axis)})
        record.record(0)

    graph = next(event for event in events(folder) if event.HasField("graph_def")).graph_def
    landscape = next(event for event in events(folder) if event.HasField("summary")).summary.value[0].loss_landscape
    train, evaluation, custom = lineage(folder)

    for message in (graph, landscape, train, evaluation, custom):
        known = type(message)()
        known.CopyFrom(message)
        known.DiscardUnknownFields()
        assert message.IsInitialized() and known.ByteSize() == message.ByteSize()
    (node,) = graph.node
    assert node.full_name == "Default/Conv2D-op1"
    assert anf_ir_pb2.DataType.Name(node.output_type.tensor_type.elem_type) == "DT_FLOAT16"
    assert [dimension.size for dimension in node.output_type.tensor_type.shape.dim] == [2, 3]
    attributes = {attribute.name: attribute.value for attribute in node.attribute}
    assert [entry.int_val for entry in attributes["pad"].values] == [1, 2]
    assert attributes["mode"].str_val == "same" and attributes["bias"].bool_val and attributes["rate"].float_val == 0.5
    assert list(landscape.landscape.z.dims) == [3, 3] and sum(landscape.landscape.z.float_data) == 3
    assert train.train_lineage.algorithm.network == "Net" and train.train_lineage.hyper_parameters.epoch == 3
    assert train.train_lineage.model.path == '{"ckpt": "a.ckpt"}'
    assert evaluation.evaluation_lineage.metric == '{"acc": 0.5}'
    entries = [MessageToDict(info) for info in custom.user_defined_info.user_info]
    assert entries == [
        {"mapInt32": {"seed": 1}},
        {"mapStr": {"note": "x"}},
        {"mapDouble": {"rate": 0.1}},
        {"mapDouble": {"big": float(2**40)}},
    ]
    print("mappings become complete messages of MindSpore's classes")


def check_dataset_graph():
    """A pipeline with a sampler and operations becomes the message that MindSpore makes of it."""
    import mindspore.dataset as ds
    from mindspore.dataset import transforms, vision

    numbers = ds.NumpySlicesDataset({"x": np.zeros((8, 4, 4, 3), np.uint8)}, sampler=ds.SequentialSampler(0, 6))
    pipeline = numbers.map([vision.Resize([2, 2]), vision.HWC2CHW()], ["x"]).map(transforms.TypeCast(mindspore.float32))
    pipeline = pipeline.shuffle(3).batch(2, drop_remainder=True)

    ours = lineage_pb2.DatasetGraph.FromString(dataset_graph(ds.serialize(pipeline)))

    assert ours == DatasetGraph().package_dataset_graph(pipeline)
    print("a dataset pipeline becomes the message that MindSpore makes of it")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for number, check in enumerate((check_summary, check_messages, check_mappings)):
            check(Path(folder) / str(number))
    check_dataset_graph()
    print("mindspore", mindspore.__version__, "numpy", np.__version__)
