"""What is put into a spool is in the run once, whoever is killed or away."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mindinsight_like.profiler.collector.endpoint.arrivals import Arrivals
from mindinsight_like.profiler.collector.endpoint.ledger import Ledger
from mindinsight_like.profiler.collector.messages import message_class
from mindinsight_like.profiler.collector.spool import Kind, SpoolReader, SpoolWriter, leftovers
from tests.profiler.collector.endpoints import Beside, Endpoint, contents, eventually

BLOCK_BYTES = 4000
SPOOL = "0123456789abcdef"


def block(number: int) -> bytes:
    return f"{number:08d}".encode() * (BLOCK_BYTES // 8)


def numbers(path: Path) -> list[int]:
    return [int(content[:8]) for content in contents(path)] if path.exists() else []


@pytest.fixture
def endpoint(tmp_path: Path) -> Iterator[Endpoint]:
    found = Endpoint(tmp_path / "service")
    yield found
    found.kill()


def test_nothing_is_lost_or_doubled_while_both_sides_are_killed(endpoint: Endpoint, tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    training = SpoolWriter(spool, server=endpoint.address, run="a/b", name="here.1")
    arrived = endpoint.base / "a" / "b" / "recording.mi-trace"
    courier = Beside(endpoint.address, spool, training.folder)
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
                courier = Beside(endpoint.address, spool, training.folder)
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


def batch(*entries: tuple[int, dict[str, Any]], run: str = "a") -> Any:
    found = message_class("Batch")(spool=SPOOL, run=run, name="here.1")
    for sequence, content in entries:
        found.entries.add(sequence=sequence, **content)
    return found


def blocks(first: int, last: int) -> Any:
    return batch(*((n, {"block": {"recording": "r", "content": block(n)}}) for n in range(first, last + 1)))


def opened(folder: Path) -> Arrivals:
    base = folder / "base"
    base.mkdir(exist_ok=True)
    return Arrivals(Ledger(folder / "ledger.sqlite", base), base)


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


def piece(offset: int, content: bytes, *, is_last: bool, path: str = "x.pt.trace.json") -> dict[str, Any]:
    return {"piece": {"path": path, "offset": offset, "content": content, "is_last": is_last}}


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
    again.take(batch((3, piece(0, b"[]", is_last=True))))  # the framework has written it anew
    assert final.read_bytes() == b"[]"
    again.take(batch((5, piece(9, b"}", is_last=True, path="y.pt.trace.json"))))  # its beginning was given up
    assert sorted(path.name for path in final.parent.glob("*.json")) == ["x.pt.trace.json"]


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
