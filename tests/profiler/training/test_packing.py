"""Recordings are packed in a process of their own, and are there whole or not at all."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import pytest

from mindinsight_like.profiler.training import packing


def test_a_file_is_packed_elsewhere_and_taken_away(tmp_path: Path) -> None:
    target = tmp_path / "a b.pt.trace.json.gz"
    plain = packing.unpacked(target)
    content = bytes(range(256)) * 10_000
    plain.write_bytes(content)

    packing.start(plain, target)
    packing.wait()

    assert list(tmp_path.iterdir()) == [target]
    assert gzip.decompress(target.read_bytes()) == content


@pytest.mark.parametrize("way", ["no program", "fails"])
def test_what_cannot_be_packed_is_left_for_readers_as_it_is(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "x.pt.trace.json.gz"
    plain = packing.unpacked(target)
    plain.write_bytes(b"{}")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "absent") if way == "no program" else "/bin/false")

    packing.start(plain, target)
    packing.wait()

    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("x.pt.trace.json", b"{}")]


def test_without_the_fast_library_the_usual_one_packs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "isal.igzip", None)
    target = tmp_path / "x.gz"
    (tmp_path / "x").write_bytes(b"content")

    packing.pack(tmp_path / "x", target)

    assert gzip.decompress(target.read_bytes()) == b"content"
