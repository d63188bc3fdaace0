"""Merge all lineage records of a run into one `LineageRecord`, whichever framework wrote them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from mindinsight_like.errors import BlobGone, TooLarge
from mindinsight_like.lineage.columns import Value
from mindinsight_like.lineage.plain_values import MOST_ENTRIES, flattened, plain
from mindinsight_like.logs.kinds import TRACKER_DIALECTS, Dialect, Kind
from mindinsight_like.logs.protobuf.message_fields import MessageFields
from mindinsight_like.logs.protobuf.schemas.mindspore_lineage import LineageEvent
from mindinsight_like.logs.protobuf.wire import Malformed
from mindinsight_like.store.blobs import BlobBytes, StoredRecord
from mindinsight_like.store.reader import IndexReader
from mindinsight_like.values import hparams
from mindinsight_like.values.hparams import Experiment, Parameter, SessionEnd, SessionStart
from mindinsight_like.values.records import BadValue, Record

from . import mindspore_events
from .dataset_graphs import pipeline_of
from .record import LineageRecord

_MOST_BYTES = 16 * 2**20  # of one record
_EXACT = 2**53  # whole numbers below it are exact as real ones
# Columns that MindInsight names otherwise than the record does.
_RENAMED = {
    "train_dataset_size": "train_dataset_count",
    "valid_dataset_path": "test_dataset_path",
    "valid_dataset_size": "test_dataset_count",
    "size": "model_size",
}


def gather(reader: IndexReader, runs: Sequence[str]) -> dict[str, LineageRecord]:
    """All that the logs of some runs say of their lineage, by id; raises RunNotFound."""
    records = {run: LineageRecord() for run in runs}
    for run, kind, dialect, contents in _files(reader, records):
        if kind == Kind.HPARAMS:
            for content, wall_time in contents:
                _merge_hyper_parameters(records[run], Record(dialect, content), wall_time)
        elif dialect == Dialect.LINEAGE_RECORD or dialect in TRACKER_DIALECTS:
            for content, _ in contents:
                _merge_native(records[run], content)
        else:
            _merge_mindspore(records[run], list(contents))
    return records


def _files(
    reader: IndexReader, records: Mapping[str, LineageRecord]
) -> Iterator[tuple[str, Kind, Dialect, Iterator[tuple[bytes, float]]]]:
    """The records of each file, with their wall times, and its run.

    First come all hyper-parameters; of these and the others, the file that was begun first.
    """
    places: dict[tuple[Kind, int], dict[tuple[int, int], float]] = {}  # by kind and file: offset and length, wall time
    owners: dict[int, str] = {}
    for run, stored in reader.records_of(list(records), [Kind.LINEAGE, Kind.HPARAMS]).items():
        for each in _without_repeats(stored):
            places.setdefault((each.kind, each.file), {})[each.offset, each.length] = each.wall_time
            owners[each.file] = run
    order = sorted((kind != Kind.HPARAMS, min(times.values()), file, kind) for (kind, file), times in places.items())
    said = reader.tracker_lineage(owners)
    with reader.blob_bytes(owners) as content:
        for _, begun_at, file, kind in order:
            record = records[owners[file]]
            if file in said:
                yield owners[file], kind, content.dialect(file), iter([(said[file], begun_at)])
                continue
            yield owners[file], kind, content.dialect(file), _contents(content, file, places[kind, file], record)


def _contents(
    content: BlobBytes, file: int, places: Mapping[tuple[int, int], float], record: LineageRecord
) -> Iterator[tuple[bytes, float]]:
    """The bytes at some places of a file with their wall times; what cannot be read is a problem of the record."""
    for (offset, length), wall_time in sorted(places.items()):
        try:
            if length > _MOST_BYTES:
                raise TooLarge(f"a lineage record has {length:,} bytes; the limit is {_MOST_BYTES:,}")
            yield content.read(file, offset, length), wall_time
        except (BlobGone, TooLarge) as error:
            record.problems.append(str(error))


def _without_repeats(records: Iterable[StoredRecord]) -> Iterable[StoredRecord]:
    """The records without hyper-parameters that were written again for the same step: the last ones count."""
    last: dict[object, StoredRecord] = {}
    for each in records:
        last[(each.file, each.tag, each.step) if each.kind == Kind.HPARAMS else len(last), each.kind] = each
    return last.values()


def _merge_mindspore(record: LineageRecord, contents: Sequence[tuple[bytes, float]]) -> None:
    """The events of one file: of each sort the last one counts, of what users add all.

    A file that tells of a training begins anew; one with an evaluation alone adds to the training before it.
    """
    events = []
    for content, wall_time in contents:
        try:
            event = mindspore_events.event_fields(content)
            events.append(event)
            if LineageEvent.train_lineage in event:  # which MindSpore records when a training ends
                record.session |= {"ended_at": wall_time}
        except Malformed as error:
            record.problems.append(f"a lineage event cannot be read: {error}")
    if any(LineageEvent.train_lineage in event or LineageEvent.dataset_graph in event for event in events):
        for part in record.parts:
            record.values = {name: value for name, value in record.values.items() if not _belongs_to(part, name)}
        record.parts, record.pipeline = {}, None
    for event in events:
        try:
            _merge_event(record, event)
        except Malformed as error:
            record.problems.append(f"a lineage event cannot be read: {error}")


def _merge_event(record: LineageRecord, event: MessageFields) -> None:
    parts: dict[str, dict[str, Any]] = {}
    if (training := mindspore_events.training(event)) is not None:
        parts = {
            "hyper_parameters": training.hyper_parameters,
            "train_dataset": training.train_dataset,
            "algorithm": training.algorithm,
            "model": training.model,
        }
    if (evaluation := mindspore_events.evaluation(event)) is not None:
        parts |= {"metric": evaluation.metric, "valid_dataset": evaluation.valid_dataset}
    if added := mindspore_events.user_defined(event):
        parts["user_defined"] = record.parts.get("user_defined", {}) | added
    record.parts |= parts
    for part, values in parts.items():
        record.values |= _columns(part, values)
    pipeline = pipeline_of(event)
    if pipeline is not None:
        record.pipeline = pipeline


def _columns(part: str, values: dict[str, Any]) -> dict[str, Value]:
    if part in ("metric", "user_defined"):
        return {f"{part}/{name}": value for name, value in flattened(values).items()}
    plain_ones = {name: value for name, value in flattened(values).items() if not name.startswith("path/")}
    return {_RENAMED.get(name, name): value for name, value in plain_ones.items()}


def _belongs_to(part: str, column: str) -> bool:
    """Whether a column holds a value of that part of MindSpore's events; other dialects' columns have groups."""
    return column.startswith(f"{part}/") if part in ("metric", "user_defined") else "/" not in column


def _merge_native(record: LineageRecord, content: bytes) -> None:
    """A record of `log_lineage`; what it says replaces what was said before it."""
    try:
        data = json.loads(content)
    except (ValueError, RecursionError):
        record.problems.append("lineage record is not valid JSON")
        return
    if not isinstance(data, dict) or data.get("format") != "mindinsight-like lineage":
        record.problems.append("a lineage record is not in our format")
        return
    for part, group in (("params", "hparam"), ("metrics", "metric"), ("data", "data"), ("model", "model")):
        if isinstance(values := data.get(part), dict):
            flat = flattened(plain(values))
            record.values |= {f"{group}/{name}": value for name, value in flat.items()}
            if len(flat) == MOST_ENTRIES:
                record.problems.append(f"of {part} only {MOST_ENTRIES:,} values are kept")
    for part in ("code", "environment"):
        if isinstance(values := data.get(part), dict):
            getattr(record, part).update(plain(values))
            columns = {name: value for name, value in values.items() if name not in ("diff", "packages")}
            record.values |= {f"{part}/{name}": value for name, value in flattened(plain(columns)).items()}
    if isinstance(about := data.get("tracker"), dict):
        # Its groups, tags and notes, as if a user had added them; the name of the tracker is the format of the run.
        columns = {name: value for name, value in about.items() if name not in ("name", "id")}
        record.values |= {f"user_defined/{name}": value for name, value in flattened(plain(columns)).items()}
    for part in ("parents", "inputs", "outputs"):
        if isinstance(listed := data.get(part), list):
            merged = getattr(record, part)
            merged += [plain(each) for each in listed if isinstance(each, dict) and each not in merged]


def _merge_hyper_parameters(record: LineageRecord, message: Record, wall_time: float) -> None:
    """What TensorBoard's plugin and VisualDL call hyper-parameters."""
    try:
        parts = hparams.decode(message)
    except (BadValue, Malformed) as error:
        parts = [BadValue(str(error))]
    for part in parts:
        if isinstance(part, BadValue):
            record.problems.append(str(part))
        elif isinstance(part, SessionStart):
            record.values |= {f"hparam/{name}": _whole(value) for name, value in part.settings.items()}
            if message.dialect == Dialect.TENSORBOARD:
                record.session = {"status": "running", "begun_at": part.started_at or wall_time}
        elif isinstance(part, SessionEnd):
            record.session |= {"status": part.status, "ended_at": part.ended_at or wall_time}
        elif isinstance(part, Experiment):
            record.metrics = [{"tag": each.tag, "group": each.group, "label": each.label} for each in part.metrics]
            record.domains = {each.name: domain for each in part.parameters if (domain := _domain(each)) is not None}


def _domain(parameter: Parameter) -> list[Value] | dict[str, Value] | None:
    """What values an experiment allows a parameter, as far as it says so."""
    if parameter.choices is not None:
        return [_whole(choice) for choice in parameter.choices]
    if parameter.interval is not None:
        return {"min": _whole(parameter.interval[0]), "max": _whole(parameter.interval[1])}
    return None


def _whole(value: Value) -> Value:
    """A whole number as such: the plugin has real ones only."""
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT else value
