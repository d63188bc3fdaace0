"""Readers of logs of records take whatever sound chunks hold: nothing crashes, and neighbours are kept."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindinsight_like.logs.protobuf.schemas import wandb
from mindinsight_like.trackers.record_logs import HEADER_BYTES
from mindinsight_like.trackers.reference.records import _Walk
from mindinsight_like.writers.encoding import wire

from .cases import CASES
from .reading import ReadRun, read_all
from .wandb_log import framed, history_record, run_record

LOGS = [next((CASES / case).rglob("run-*.*")) for case in ("wandb/everything", "wandb/old_0_13", "swanlab/everything")]
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
MEDIA = st.sampled_from(
    ["histogram", "image-file", "images/separated", "audio", "videos", "table-file", "html-file", "html", "x", 3]
)
FIELDS = st.sampled_from(
    ["path", "filenames", "captions", "caption", "bins", "values", "packedBins", "audio", "videos", "html"]
)


@cache
def records(path: Path) -> Sequence[bytes]:
    content = path.read_bytes()
    return [record for _, _, record in _Walk(content[HEADER_BYTES:], HEADER_BYTES, True, False).records()]


def read(name: str, content: bytes) -> ReadRun:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, name).write_bytes(content)
        return read_all(Path(folder)).runs["."]


@settings(max_examples=80, deadline=None)
@given(log=st.sampled_from(LOGS), data=st.data())
def test_altered_records_with_sound_checksums(log: Path, data: st.DataObject) -> None:
    altered = [bytearray(record) for record in records(log)]
    for _ in range(data.draw(st.integers(1, 30))):
        record = altered[data.draw(st.integers(0, len(altered) - 1))]
        if record:
            record[data.draw(st.integers(0, len(record) - 1))] = data.draw(st.integers(0, 255))

    run = read(log.name, framed(map(bytes, altered), log.read_bytes()[:HEADER_BYTES]))

    assert len(run.scalars) > 5
    for item in run.items:
        json.loads(item.document)


@settings(max_examples=80, deadline=None)
@given(kind=MEDIA, fields=st.dictionaries(FIELDS, ANY_JSON, max_size=4))
def test_media_of_any_shape(kind: Any, fields: dict[str, Any]) -> None:
    row = {"odd": {"_type": kind, **fields}, "loss": 0.5, ("nested", "_type"): kind}
    row |= {("nested", name): value for name, value in fields.items()}

    run = read("run-a.wandb", framed([run_record("a", "n", 1), history_record(1, 2.0, row)]))

    assert run.scalars["loss"] == [(1, 0.5, 2.0)]
    assert run.damage == []


@pytest.mark.parametrize("value", ["[" * 900 + "]" * 900, '{"a":' * 700 + "1" + "}" * 700, "[" * 10**6, '"\\ud800"'])
@pytest.mark.parametrize("parts", [1, 40, 5000])
def test_deep_keys_and_values(value: str, parts: int) -> None:
    keys = wire.blob(wandb.Item.nested_key, b"k") * parts
    item = keys + wire.blob(wandb.Item.value_json, value.encode())
    typed = keys + wire.blob(wandb.Item.nested_key, b"_type") + wire.blob(wandb.Item.value_json, b'"image-file"')
    config = wire.blob(wandb.Record.config, wire.blob(wandb.ConfigRecord.update, item))
    summary = wire.blob(wandb.Record.summary, wire.blob(wandb.SummaryRecord.update, item))
    rows = wire.blob(wandb.HistoryRecord.item, item) + wire.blob(wandb.HistoryRecord.item, typed)
    history = wire.blob(wandb.Record.history, rows)

    log = [run_record("a", "n", 1), config, summary, history, history_record(3, 4.0, {"loss": 1.5})]
    run = read("run-a.wandb", framed(log))

    assert run.scalars["loss"] == [(3, 1.5, 4.0)]
    assert run.display_name == "n"
