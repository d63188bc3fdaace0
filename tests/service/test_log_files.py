"""Logs are moved aside when they grow."""

from __future__ import annotations

import logging
import logging.handlers
from pathlib import Path

from mindinsight_like.service.log_files import rotate


def test_a_small_log_stays(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_bytes(b"x" * 10)

    assert not rotate(log, max_bytes=10)
    assert not rotate(tmp_path / "missing.log", max_bytes=10)
    assert log.read_bytes() == b"x" * 10


def test_the_newest_are_kept_in_order(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    for text in "abcdef":
        log.write_text(text * 10)
        assert rotate(log, max_bytes=5, keep=3)

    kept = {path.name: path.read_text()[0] for path in tmp_path.glob("a.log*")}
    assert kept == {"a.log.1": "f", "a.log.2": "e", "a.log.3": "d"}


def test_a_writer_goes_on_in_a_new_file(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    handler = logging.handlers.WatchedFileHandler(log)
    handler.emit(logging.makeLogRecord({"msg": "before"}))

    rotate(log, max_bytes=1)
    handler.emit(logging.makeLogRecord({"msg": "after"}))
    handler.close()

    assert (log.with_name("a.log.1").read_text(), log.read_text()) == ("before\n", "after\n")
