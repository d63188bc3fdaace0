"""The demo has every kind of data that SummaryRecord writes; MindInsight's readers and ours find the same in it.

Run in an environment with mindinsight 2.3.1, which needs protobuf 3.20.1.
"""

import sys
import tempfile
from importlib import metadata
from pathlib import Path

from mindinsight.datavisual.data_transform.ms_data_loader import MSDataLoader
from mindinsight.lineagemgr.lineage_parser import LineageParser

sys.path.insert(0, str(Path(__file__).parents[1]))

import demo

PLUGINS = ("scalar", "image", "histogram", "tensor", "graph", "loss_landscape")


def theirs(folder):
    """{(plugin, tag): [(step, wall time, value), ..]} as MindInsight keeps them."""
    loader = MSDataLoader(str(folder))
    while not loader.load():
        pass
    data = loader.get_events_data()
    return {
        (plugin, tag.removesuffix(f"/{plugin}")): [(one.step, one.wall_time, one.value) for one in data.tensors(tag)]
        for plugin in PLUGINS
        for tag in data.list_tags_by_plugin(plugin)
    }


def check_values(ours, found):
    """Scalars are equal; of other kinds there are as many, at the same steps and times."""
    for (kind, tag, _), values in ours.items():
        name = {"LANDSCAPE": "loss_landscape"}.get(kind.name, kind.name.lower())
        if name == "graph":
            (tag,) = [other for plugin, other in found if plugin == "graph"]  # which goes by the name of the file
        other = found.pop((name, tag))
        assert [one[:2] for one in values] == [one[:2] for one in other], tag
        assert name != "scalar" or [one[2] for one in values] == [one[2] for one in other], tag
    assert not found, found.keys()


def check_lineage(folder):
    """Every part of the lineage arrives."""
    lineage = LineageParser("./demo", str(folder)).super_lineage_obj.lineage_obj
    assert lineage.algorithm["network"] == "Spirals" and lineage.hyper_parameters["optimizer"] == "Momentum"
    assert lineage.train_dataset["train_dataset_size"] == 1200 and lineage.model["size"] > 0
    assert set(lineage.metric) == {"loss", "accuracy"} and lineage.user_defined["data"] == "spirals"
    assert lineage.dataset_graph["children"][0]["children"][0]["op_type"] == "NumpySlicesDataset"


if __name__ == "__main__":  # MindInsight starts processes
    with tempfile.TemporaryDirectory() as top:
        logs = demo.make(top, "mindspore")
        (summary,) = [log for log in logs if log.name.endswith("_MS")]
        values = demo.read(summary)
        check_values(values, theirs(summary.parent))
        check_lineage(summary.parent)
        print("the same:", demo.told(values.items()), "and the lineage")
    print("mindinsight", metadata.version("mindinsight"), "protobuf", metadata.version("protobuf"))
