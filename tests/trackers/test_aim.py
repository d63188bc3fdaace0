"""Repositories of Aim are named with what to do."""

from pathlib import Path

import pytest

from mindinsight_like.trackers.reader import LogUnreadable
from tests.trackers.reading import found_logs, read_all


def test_a_repository_is_named(tmp_path: Path) -> None:
    (tmp_path / "project/.aim/meta/chunks").mkdir(parents=True)
    (tmp_path / "project/.aim/run_metadata.sqlite").write_bytes(b"SQLite format 3\0")
    with pytest.raises(LogUnreadable, match="JSON lines"):
        read_all(tmp_path)
    ((_, log),) = found_logs(tmp_path)
    assert log.run == "project"
