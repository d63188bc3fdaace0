"""Logs that the real trackers and libraries wrote, each case with what it holds in expected.json."""

from pathlib import Path

from tests.corpus import extracted

CASES = extracted(Path(__file__).with_name("recordings.tar.xz"), "trackers")
