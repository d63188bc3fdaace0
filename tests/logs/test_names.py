"""File names tell dialect, rank and time."""

from __future__ import annotations

import pytest

from mindinsight_like.logs.kinds import Dialect, Kind, SeriesName, parse_key, series_key
from mindinsight_like.logs.names import LogName, classify, legacy_tag

NAMES = {
    "events.out.tfevents.1794790018.trainbox": LogName(Dialect.TENSORBOARD, None, 1794790018),
    "events.out.tfevents.1794790018.trainbox.15044.0": LogName(Dialect.TENSORBOARD, None, 1794790018),
    "events.out.tfevents.1794790018.10.0.0.5.15044.0.v2": LogName(Dialect.TENSORBOARD, None, 1794790018),
    "my.tfevents": LogName(Dialect.TENSORBOARD, None, None),
    "events.out.events.summary.1794789322.0.trainbox_MS": LogName(Dialect.MINDSPORE, 0, 1794789322),
    "events.out.events.summary.1794789322.15.node-3.example.org_MS": LogName(Dialect.MINDSPORE, 15, 1794789322),
    "events.out.events.summary.1794789322.3.10.0.0.5_MS": LogName(Dialect.MINDSPORE, 3, 1794789322),
    "events.out.events.summary.1600000000.trainbox_MS": LogName(Dialect.MINDSPORE, None, 1600000000),
    "events.out.events.summary.1600000000.host.7.example_MS": LogName(Dialect.MINDSPORE, None, 1600000000),
    "events.out.events.summary.1600000000.10.0.0.5_MS": LogName(Dialect.MINDSPORE, None, 1600000000),
    "events.out.events.summary.1794789322.1.trainbox_lineage": LogName(Dialect.MINDSPORE_LINEAGE, 1, 1794789322),
    "summary.7.out.events.summary.1794789322.2.host_MS": LogName(Dialect.MINDSPORE, 2, 1794789322),
    "graph_base.summary.1600000000": LogName(Dialect.MINDSPORE, None, 1600000000),
    "vdlrecords.1794790501.log": LogName(Dialect.VISUALDL, None, 1794790501),
    "vdlrecords.mine": LogName(Dialect.VISUALDL, None, None),
    "my_vdlrecords.log": LogName(Dialect.VISUALDL, None, None),
    "vdlgraph.1794790501.log": LogName(Dialect.VISUALDL_GRAPH, None, 1794790501),
    "net.onnx": LogName(Dialect.ONNX, None, None),
    "net.pdmodel": LogName(Dialect.PADDLE_PROGRAM, None, None),
    "saved_model.pb": LogName(Dialect.TENSORFLOW_MODEL, None, None),
    "projector_config.pbtxt": LogName(Dialect.PROJECTOR_CONFIG, None, None),
}


@pytest.mark.parametrize("name", NAMES)
def test_log_files_are_recognised(name: str) -> None:
    assert classify(name) == NAMES[name]


@pytest.mark.parametrize(
    "name", ["notes.txt", "summary.md", "expected.json", "model.pb", "onnx", "net.pdiparams", "storage.meta", ""]
)
def test_other_files_are_not(name: str) -> None:
    assert classify(name) is None


def test_tablets_are_named_after_their_tag() -> None:
    assert legacy_tag("train%scalars%loss") == "train/scalars/loss"


@pytest.mark.parametrize("tag", ["", "loss", "训练/loss 🙂", "x" * 1_200, "../etc/passwd"])
@pytest.mark.parametrize("sub", ["", "sin", "余弦"])
def test_keys_name_their_series(tag: str, sub: str) -> None:
    assert parse_key(series_key(Kind.TEXT, tag, sub)) == SeriesName(Kind.TEXT, tag, sub)


def test_bytes_that_are_no_text_are_replaced() -> None:
    assert parse_key(b"\x00caf\xe9") == SeriesName(Kind.SCALAR, "caf\N{REPLACEMENT CHARACTER}", "")
