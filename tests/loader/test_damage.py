"""Damaged records become warnings with their place, and what comes after them is read."""

from __future__ import annotations

import random
import struct
import tracemalloc
from pathlib import Path

import pytest

from mindinsight_like.logs.framing import frame, masked_crc32c
from mindinsight_like.store.result_types import Run

from .logs import Loading, append, mindspore_records, tensorboard_records, visualdl_records, write

_LOG = "run/events.out.tfevents.1.host"


def _run(loading: Loading) -> Run:
    return loading.reader.runs.get(loading.id_of("run"))


def _warnings(loading: Loading) -> list[tuple[int, str]]:
    return [(warning.offset, warning.kind) for warning in _run(loading).warnings]


def _with_changed_byte(content: bytes, place: int) -> bytes:
    return content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :]


_BEFORE = tensorboard_records("loss", range(1, 11))
_BAD = tensorboard_records("loss", [11])
_AFTER = tensorboard_records("loss", range(12, 21))

_DAMAGE = [
    pytest.param(_with_changed_byte(_BAD, 20), "payload_checksum", id="payload"),
    pytest.param(_with_changed_byte(_BAD, len(_BAD) - 1), "payload_checksum", id="checksum of the payload"),
    pytest.param(_with_changed_byte(_BAD, 0), "length_checksum", id="length"),
    pytest.param(_with_changed_byte(_BAD, 9), "length_checksum", id="checksum of the length"),
    pytest.param(random.Random(1).randbytes(5000), "length_checksum", id="random bytes"),
    pytest.param(bytes(4096), "length_checksum", id="zeros, as after a power cut"),
    pytest.param(_BAD[: len(_BAD) // 2], "payload_checksum", id="the end of a record is missing"),
    pytest.param(frame(b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), "unparsable", id="no event"),
]


def _absurd(length: int) -> bytes:
    header = struct.pack("<Q", length)
    return header + struct.pack("<I", masked_crc32c(header))


@pytest.mark.parametrize(("harm", "kind"), _DAMAGE)
def test_damage_in_the_middle_is_one_warning(base_dir: Path, loading: Loading, harm: bytes, kind: str) -> None:
    write(base_dir / _LOG, _BEFORE + harm + _AFTER)

    loading.round()

    assert _warnings(loading) == [(len(_BEFORE), kind)]
    assert loading.steps("run", "loss") == [*range(1, 11), *range(12, 21)]
    assert _run(loading).warnings[0].file == _LOG
    assert _run(loading).warning_count == 1


@pytest.mark.parametrize(("harm", "kind"), _DAMAGE)
def test_damage_met_piece_by_piece_is_one_warning_too(base_dir: Path, loading: Loading, harm: bytes, kind: str) -> None:
    content = _BEFORE + harm + _AFTER
    log = write(base_dir / _LOG, content[:5])
    chance = random.Random(kind)
    while (size := log.stat().st_size) < len(content):
        # Small steps where the damage lies.
        near = len(_BEFORE) - 20 < size < len(_BEFORE) + len(harm) + 40
        append(log, content[size : size + chance.randint(1, max(9, len(harm) // 25) if near else 60)])
        loading.round()

    assert _warnings(loading) == [(len(_BEFORE), kind)]
    assert loading.steps("run", "loss") == [*range(1, 11), *range(12, 21)]
    assert _run(loading).warning_count == 1


@pytest.mark.parametrize("length", [2**31, 2**40, 2**63, 2**64 - 1])
def test_an_absurd_length_takes_no_memory(base_dir: Path, loading: Loading, length: int) -> None:
    write(base_dir / _LOG, _BEFORE + _absurd(length) + b"some bytes" + _AFTER)

    loading.round()

    assert _warnings(loading) == [(len(_BEFORE), "absurd_length")]
    assert loading.steps("run", "loss") == [*range(1, 11), *range(12, 21)]


def test_a_length_beyond_the_end_waits_without_taking_memory(base_dir: Path, loading: Loading) -> None:
    """A gigabyte may come; until then there is nothing to complain of."""
    write(base_dir / _LOG, _BEFORE + _absurd(2**30) + b"only a few bytes so far")

    tracemalloc.start()
    loading.round()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert _warnings(loading) == []
    assert loading.steps("run", "loss") == list(range(1, 11))
    assert peak < 20_000_000


def test_several_damaged_places_are_several_warnings(base_dir: Path, loading: Loading) -> None:
    content, places = b"", []
    for step in range(0, 50, 5):
        content += tensorboard_records("loss", range(step, step + 4))
        places.append(len(content))
        content += _with_changed_byte(tensorboard_records("loss", [step + 4]), 30)
    content += tensorboard_records("loss", [50])
    write(base_dir / _LOG, content)

    loading.round()

    assert _warnings(loading) == [(place, "payload_checksum") for place in places]
    assert loading.steps("run", "loss") == [step for step in range(51) if step % 5 != 4]


def test_a_file_of_rubbish_is_a_warning_and_the_rest_loads(base_dir: Path, loading: Loading) -> None:
    write(base_dir / _LOG, random.Random(2).randbytes(100_000))
    write(base_dir / "fine/events.out.tfevents.1.host", _BEFORE)

    loading.round()

    assert _warnings(loading) == [(0, "length_checksum")]
    assert len(loading.steps("fine", "loss")) == 10


@pytest.mark.parametrize("tail", ["rubbish", "zeros"])
def test_damage_at_the_end_goes_on_when_records_follow(base_dir: Path, loading: Loading, tail: str) -> None:
    harm = {"rubbish": random.Random(3).randbytes(100), "zeros": bytes(100)}[tail]
    log = write(base_dir / _LOG, _BEFORE + harm)
    loading.round()
    assert _warnings(loading) == [(len(_BEFORE), "length_checksum")]
    loading.restart()

    append(log, _AFTER)
    loading.round()

    assert _warnings(loading) == [(len(_BEFORE), "length_checksum")]
    assert loading.steps("run", "loss") == [*range(1, 11), *range(12, 21)]


def test_mindspore_records_are_checked_too(base_dir: Path, loading: Loading) -> None:
    before = mindspore_records("loss", range(1, 5))
    bad = _with_changed_byte(mindspore_records("loss", [5]), 25)
    write(base_dir / "run/events.out.events.summary.1.0.host_MS", before + bad + mindspore_records("loss", [6, 7]))

    loading.round()

    assert _warnings(loading) == [(len(before), "payload_checksum")]
    assert loading.steps("run", "loss") == [1, 2, 3, 4, 6, 7]


@pytest.mark.parametrize("harm", [b"\xff" * 30, struct.pack("<Q", 5) + b"hello", struct.pack("<Q", 2**50)])
def test_visualdl_records_without_checksums_are_found_again(base_dir: Path, loading: Loading, harm: bytes) -> None:
    before = visualdl_records("loss", range(1, 5))
    write(base_dir / "run/vdlrecords.1.log", before + harm + visualdl_records("loss", range(6, 16)))

    loading.round()

    ((place, _),) = _warnings(loading)
    assert place == len(before)
    assert loading.steps("run", "loss") == [1, 2, 3, 4, *range(6, 16)]


def test_a_repaired_file_has_no_warnings(base_dir: Path, loading: Loading) -> None:
    log = write(base_dir / _LOG, random.Random(5).randbytes(10) + _BEFORE)
    loading.round()
    assert len(_warnings(loading)) == 1

    write(log, _BEFORE)
    loading.round()

    assert _warnings(loading) == []
    assert _run(loading).warning_count == 0
