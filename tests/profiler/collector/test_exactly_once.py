"""What is put into a spool is in the run once, whoever is killed or away."""

from __future__ import annotations

import json
import resource
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mindinsight_like.logs.base_dirs import BaseDirs
from mindinsight_like.profiler.collector import spool
from mindinsight_like.profiler.collector.endpoint.arrivals import Arrivals
from mindinsight_like.profiler.collector.endpoint.ledger import Ledger
from mindinsight_like.profiler.collector.messages import message_class
from mindinsight_like.profiler.collector.spool import Kind, SpoolWriter
from mindinsight_like.profiler.collector.spool_reader import SpoolReader, leftovers
from mindinsight_like.profiler.traces.own_format import DONE
from tests.profiler.collector.endpoints import Beside, Endpoint, contents, eventually

BLOCK_BYTES = 4000
SPOOL, LATER, TRAINING = "0123456789abcdef", "fedcba9876543210", "00000000000000aa"


def block(number: int) -> bytes:
    return f"{number:08d}".encode() * (BLOCK_BYTES // 8)


def numbers(path: Path) -> list[int]:
    """Those of the blocks, without what is said of missing ones."""
    found = contents(path) if path.exists() else []
    return [int(content[:8]) for content in found if not content.startswith(DONE)]


@pytest.fixture
def endpoint(tmp_path: Path) -> Iterator[Endpoint]:
    found = Endpoint(tmp_path / "service")
    yield found
    found.kill()


def test_nothing_is_lost_or_doubled_while_both_sides_are_killed(endpoint: Endpoint, tmp_path: Path) -> None:
    folder = tmp_path / "spool"
    training = SpoolWriter(folder, server=endpoint.address, run="a/b", name="here.1")
    arrived = endpoint.base / "a" / "b" / "recording.mi-trace"
    courier = Beside(endpoint.address, folder, training.folder)
    count = 0
    try:
        for victims in (["courier"], ["endpoint"], ["courier", "endpoint"]):
            for _ in range(2500):  # 10 MB: several batches are always on their way
                count += 1
                training.put(Kind.BLOCK, {"recording": "recording"}, block(count))
            if count == 2500:
                time.sleep(0.5)  # the courier is there before the service
                endpoint.start()
            before = arrived.stat().st_size if arrived.exists() else 0
            eventually(lambda before=before: arrived.exists() and arrived.stat().st_size > before)  # type: ignore[misc]
            if "courier" in victims:
                courier.kill()
                courier = Beside(endpoint.address, folder, training.folder)
            if "endpoint" in victims:
                endpoint.kill()
                endpoint.start()
        training.close()
        courier.say({"end": True})
        eventually(lambda: len(numbers(arrived)) >= count)
        eventually(lambda: not training.folder.exists())  # sent, so it is gone
    finally:
        courier.kill()

    assert numbers(arrived) == list(range(1, count + 1))


def batch(*entries: tuple[int, dict[str, Any]], run: str = "a", spool: str = SPOOL, output_path: str = "") -> Any:
    found = message_class("Batch")(spool=spool, run=run, name="here.1", output_path=output_path)
    for sequence, content in entries:
        found.entries.add(sequence=sequence, **content)
    return found


def blocks(first: int, last: int) -> Any:
    return batch(*((n, {"block": {"recording": "r", "content": block(n)}}) for n in range(first, last + 1)))


def opened(folder: Path) -> Arrivals:
    base = folder / "base"
    base.mkdir(exist_ok=True)
    return Arrivals(Ledger(folder / "ledger.sqlite", base), BaseDirs(str(base)))


def test_a_write_that_was_not_noted_is_cut_off_and_comes_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arrivals = opened(tmp_path)
    assert arrivals.take(blocks(1, 3)) == 3
    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "commit", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt()))  # as if killed there
        with pytest.raises(KeyboardInterrupt):
            arrivals.take(blocks(4, 8))
    arrived = tmp_path / "base" / "a" / "r.mi-trace"
    assert numbers(arrived) == [1, 2, 3, 4, 5, 6, 7, 8]

    again = opened(tmp_path)
    assert again.take(blocks(2, 5)) == 5  # other batches than before, and some of what has been acknowledged
    assert numbers(arrived) == [1, 2, 3, 4, 5]
    assert again.take(blocks(7, 8)) == 8  # 6 was given up in between

    assert numbers(arrived) == [1, 2, 3, 4, 5, 7, 8]
    assert again.take(blocks(1, 8)) == 8
    assert numbers(arrived) == [1, 2, 3, 4, 5, 7, 8]
    (said,) = (content for content in contents(arrived) if content.startswith(DONE))
    assert json.loads(said[4:])["losses"][0][1] == 1


def piece(
    offset: int, content: bytes, *, is_last: bool, path: str = "x.pt.trace.json", version: int = 1
) -> dict[str, Any]:
    told = {"path": path, "offset": offset, "content": content, "is_last": is_last}
    return {"piece": {**told, "source": TRAINING, "version": version}}


def test_a_file_has_its_name_when_it_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arrivals = opened(tmp_path)
    final = tmp_path / "base" / "a" / "x.pt.trace.json"
    arrivals.take(batch((1, piece(0, b"{", is_last=False))))
    assert not final.exists()
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt()))
        with pytest.raises(KeyboardInterrupt):
            arrivals.take(batch((2, piece(1, b"}", is_last=True))))

    again = opened(tmp_path)
    assert again.take(batch((2, piece(1, b"}", is_last=True)))) == 2
    assert final.read_bytes() == b"{}"
    again.take(batch((3, piece(0, b"[]", is_last=True, version=2))))  # the framework has written it anew
    assert final.read_bytes() == b"[]"
    again.take(batch((5, piece(9, b"}", is_last=True, path="y.pt.trace.json"))))  # its beginning was given up
    assert sorted(path.name for path in final.parent.glob("*.json")) == ["x.pt.trace.json"]


def test_a_file_that_two_collectors_send_is_there_once(tmp_path: Path) -> None:
    arrivals = opened(tmp_path)
    folder = tmp_path / "base" / "a"
    arrivals.take(batch((1, piece(0, b"ab", is_last=False)), (2, piece(2, b"cd", is_last=False))))  # then it is killed

    arrivals.take(batch((1, piece(0, b"abc", is_last=False)), (2, piece(3, b"def", is_last=True)), spool=LATER))
    assert not list(folder.glob("*.json"))  # what fits to what is there has come; nothing else has
    arrivals.take(batch((3, piece(4, b"ef", is_last=True))))
    arrivals.take(batch((4, piece(0, b"abcdef", is_last=True)), spool=LATER))

    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {"x.pt.trace.json": b"abcdef"}
    arrivals.take(batch((5, piece(0, b"new", is_last=False, version=7)), spool=LATER))
    arrivals.take(batch((4, piece(0, b"abcdef", is_last=True))))  # late news of what was there before
    arrivals.take(batch((6, piece(0, b"newer", is_last=True, version=8)), spool=LATER))
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {"x.pt.trace.json": b"newer"}


def test_what_the_service_sees_itself_is_not_written_again(tmp_path: Path) -> None:
    arrivals = opened(tmp_path)
    seen, unseen = tmp_path / "base" / "out", tmp_path / "elsewhere"
    for folder in (seen, unseen):
        folder.mkdir()
        (folder / "r.mi-trace").write_bytes(b"recorded")
        (folder / "x.pt.trace.json").write_bytes(b"{}")
    version = (seen / "x.pt.trace.json").stat().st_mtime_ns
    entries = ((1, {"block": {"recording": "r", "content": b"?"}}), (2, piece(0, b"{}", is_last=True, version=version)))

    assert arrivals.take(batch(*entries, output_path=str(seen))) == 2
    assert not (tmp_path / "base" / "a").exists()
    arrivals.take(batch(*entries, spool=LATER, output_path=str(unseen)))

    assert sorted(path.name for path in (tmp_path / "base" / "a").iterdir()) == ["r.mi-trace", "x.pt.trace.json"]


def test_a_reader_misses_nothing_while_segments_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "_SEGMENT_BYTES", 300)
    writer = SpoolWriter(tmp_path, server="s:1", run="r", name="n")
    reader = SpoolReader(writer.folder)

    def put_all() -> None:
        for n in range(3000):
            writer.put(Kind.SAMPLE, {"n": n})

    writing = threading.Thread(target=put_all)
    writing.start()
    found: list[int] = []

    while writing.is_alive() or not reader.is_finished:
        entries = reader.read(1 << 20)
        found += [entry.metadata["n"] for entry in entries]
        if entries:
            reader.acknowledge(entries[-1].sequence)

    assert found == list(range(3000))
    assert reader.dropped == 0


def test_behind_a_gap_blocks_can_still_be_understood(tmp_path: Path) -> None:
    writer = SpoolWriter(tmp_path, server="s:1", run="r", name="n", limit=64 << 10)
    writer.repeated.append(({"recording": "r"}, b"definitions"))
    for number in range(1, 101):
        writer.put(Kind.BLOCK, {"recording": "r"}, block(number))
    reader = SpoolReader(writer.folder)

    entries = reader.read(1 << 30)
    dropped = reader.dropped
    reader.rewind()

    assert [entry.content for entry in entries if entry.kind == Kind.BLOCK].count(b"definitions") == 1
    assert entries[0].content == b"definitions"
    assert [entry.kind for entry in entries[1:]].count(Kind.REPEATED) >= 2  # of segments without a gap before them
    assert [entry.sequence for entry in reader.read(1 << 30)] == [entry.sequence for entry in entries]
    assert reader.dropped == dropped > 0  # counted once


def test_a_full_disk_costs_what_does_not_fit(tmp_path: Path) -> None:
    writer = SpoolWriter(tmp_path, server="s:1", run="r", name="n")
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, usual[1]))  # no file may be longer, as on a full disk
        kept = []
        for number in range(1, 12):
            try:
                writer.put(Kind.BLOCK, {"recording": "r"}, block(number))
                kept.append(number)
            except OSError:
                continue
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
    writer.put(Kind.BLOCK, {"recording": "r"}, block(12))
    reader = SpoolReader(writer.folder)

    assert [int(entry.content[:8]) for entry in reader.read(1 << 30)] == [*kept, 12]
    assert reader.dropped == 11 - len(kept) > 0


def test_a_full_spool_gives_up_the_oldest_and_counts_them(tmp_path: Path) -> None:
    writer = SpoolWriter(tmp_path, server="s:1", run="r", name="n", limit=64 << 10)
    for number in range(1, 101):
        writer.put(Kind.BLOCK, {"recording": "r"}, block(number))
    reader = SpoolReader(writer.folder)

    found = [entry.sequence for entry in reader.read(1 << 30)]

    assert sum(path.stat().st_size for path in writer.folder.glob("*.segment")) <= 64 << 10
    assert found == list(range(found[0], 101))
    assert len(found) >= 8
    assert reader.dropped == 100 - len(found)


def test_what_a_killed_process_left_is_sent_by_the_next(tmp_path: Path) -> None:
    writer = SpoolWriter(tmp_path, server="s:1", run="r", name="n")
    for number in range(1, 4):
        writer.put(Kind.BLOCK, {"recording": "r"}, block(number))
    assert list(leftovers(tmp_path, "s:1")) == []  # its writer lives
    first = SpoolReader(writer.folder)
    with pytest.raises(BlockingIOError):
        SpoolReader(writer.folder)
    first.read(1)
    first.acknowledge(1)
    first.close()
    writer.close()
    with next(writer.folder.glob("*.segment")).open("r+b") as torn:
        torn.truncate(torn.seek(0, 2) - 5)  # the machine lost power

    assert list(leftovers(tmp_path, "other:1")) == []
    (left,) = leftovers(tmp_path, "s:1")

    assert [entry.sequence for entry in left.read(1 << 30)] == [2]
    left.acknowledge(2)
    assert left.is_finished
