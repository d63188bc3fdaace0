"""Logs of W&B as its library would write them, for tests and measurements."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from mindinsight_like.logs.protobuf.schemas import wandb
from mindinsight_like.writers.encoding import wire

BLOCK = 32768
HEADER = b":W&B\xe1\xbe\x00"


def framed(records: Iterable[bytes], header: bytes = HEADER) -> bytes:
    """Records in chunks in blocks."""
    content = bytearray(header)
    for record in records:
        begin = 0
        while True:
            left = BLOCK - len(content) % BLOCK
            if left < 7:
                content += bytes(left)
                left = BLOCK
            part = record[begin : begin + left - 7]
            is_last = begin + len(part) == len(record)
            kind = (1 if is_last else 2) if begin == 0 else (4 if is_last else 3)
            content += struct.pack("<IHB", zlib.crc32(bytes([kind]) + part), len(part), kind) + part
            begin += len(part)
            if is_last:
                break
    return bytes(content)


def write_log(path: Path, records: Iterable[bytes]) -> None:
    path.write_bytes(framed(records))


def item(key: str | tuple[str, ...], value: Any) -> bytes:
    """An item; a tuple is a nested key."""
    names = (
        wire.blob(wandb.Item.key, key.encode())
        if isinstance(key, str)
        else b"".join(wire.blob(wandb.Item.nested_key, part.encode()) for part in key)
    )
    return names + wire.blob(wandb.Item.value_json, json.dumps(value).encode())


def history_record(step: int, wall: float, values: Mapping[Any, Any]) -> bytes:
    """A row."""
    items = {**values, "_step": step, "_timestamp": wall}
    row = b"".join(wire.blob(wandb.HistoryRecord.item, item(key, value)) for key, value in items.items())
    return wire.blob(wandb.Record.history, row)


def summary_record(values: Mapping[Any, Any]) -> bytes:
    items = b"".join(wire.blob(wandb.SummaryRecord.update, item(key, value)) for key, value in values.items())
    return wire.blob(wandb.Record.summary, items)


def stats_record(seconds: int, values: Mapping[str, Any]) -> bytes:
    """A sample of the host."""
    time = wire.blob(wandb.StatsRecord.timestamp, wire.integer(wandb.Timestamp.seconds, seconds))
    items = b"".join(wire.blob(wandb.StatsRecord.item, item(key, value)) for key, value in values.items())
    return wire.blob(wandb.Record.stats, time + items)


def run_record(run_id: str, name: str, started: int) -> bytes:
    run = wandb.RunRecord
    content = wire.blob(run.run_id, run_id.encode()) + wire.blob(run.display_name, name.encode())
    time = wire.integer(wandb.Timestamp.seconds, started)
    return wire.blob(wandb.Record.run, content + wire.blob(run.start_time, time))


def preempting_record() -> bytes:
    return wire.blob(wandb.Record.preempting, b"")


def exit_record(code: int, runtime: int) -> bytes:
    content = wire.integer(wandb.RunExitRecord.exit_code, code) + wire.integer(wandb.RunExitRecord.runtime, runtime)
    return wire.blob(wandb.Record.exit, content)


def output_record(text: str, seconds: int, *, is_error: bool = False) -> bytes:
    output = wandb.OutputRawRecord
    time = wire.integer(wandb.Timestamp.seconds, seconds)
    stream = wandb.OutputType.STDERR if is_error else wandb.OutputType.STDOUT
    content = wire.integer(output.output_type, stream) + wire.blob(output.timestamp, time)
    return wire.blob(wandb.Record.output_raw, content + wire.blob(output.line, text.encode()))
