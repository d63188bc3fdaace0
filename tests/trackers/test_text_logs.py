"""Text logs by patterns of libraries and of users; of Megatron, DeepSpeed and nanotron from what they document."""

from __future__ import annotations

import json
import math
import shutil
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.trackers.reader import Limits
from mindinsight_like.trackers.texts import own_patterns
from tests.trackers.cases import CASES
from tests.trackers.reading import Follower, compare_scalars, expected_runs, found_run, mutated, read_all

_MEGATRON = (
    "using world size: 8, data-parallel size: 8\n"
    " [2026-11-17 10:00:00] iteration      100/  500000 | consumed samples:        25600 |"
    " elapsed time per iteration (ms): 1234.5 | learning rate: 1.000000E-04 | lm loss: 7.500000E+00 |"
    " grad norm: nan | number of nan iterations:   0 |\n"
    " validation loss at iteration 100 | lm loss value: 7.250000E+00 | lm loss PPL: 1.408105E+03 |\n"
)
_DEEPSPEED = (
    "[2026-11-17 10:00:00,123] [INFO] [logging.py:96:log_dist] [Rank 0] DeepSpeed info: version=0.15.0\n"
    "[2026-11-17 10:00:01,123] [INFO] [logging.py:96:log_dist] [Rank 0] step=10, skipped=0, "
    "lr=[0.001], mom=[[0.9, 0.999]]\n"
    "[2026-11-17 10:00:01,124] [INFO] [timer.py:258:stop] epoch=0/micro_step=10/global_step=10, "
    "RunningAvgSamplesPerSec=99.5, CurrSamplesPerSec=101.25, MemAllocated=1.5GB, MaxMemAllocated=2.0GB\n"
    "steps: 20 loss: 5.4321 iter time (s): 0.125 samples/sec: 64.0\n"
)
_NANOTRON = (
    "11/17/2026 10:00:00 [INFO|DP=0|PP=0|TP=0|host]: iteration: 10 / 1000 | consumed_tokens: 20.5K |"
    " tokens_per_sec: 4.1K | global_batch_size: 1.02K | lm_loss: 11 | lr: 0.0001 | grad_norm: 1.2\n"
)


@pytest.fixture(autouse=True)
def _no_own_patterns() -> None:
    own_patterns.use("")


@pytest.mark.parametrize("limits", [Limits(), Limits(points=7, bytes=300)], ids=["whole", "slices"])
def test_reader_gives_what_was_logged(limits: Limits, tmp_path: Path) -> None:
    shutil.copytree(CASES / "text/torchtitan", tmp_path / "case")
    read = read_all(tmp_path, limits)
    (expected,) = expected_runs(CASES / "text/torchtitan")["runs"]
    compare_scalars(found_run(read.runs, expected), expected)
    assert list(read.dialects.values()) == [Dialect.TEXT_LOG]


@pytest.mark.parametrize(
    ("library", "content", "expected"),
    [
        (
            "megatron",
            _MEGATRON,
            {
                "consumed samples": (100, 25600.0),
                "elapsed time per iteration (ms)": (100, 1234.5),
                "learning rate": (100, 1e-4),
                "lm loss": (100, 7.5),
                "grad norm": (100, math.nan),
                "number of nan iterations": (100, 0.0),
                "lm loss value": (100, 7.25),
                "lm loss PPL": (100, 1408.105),
            },
        ),
        (
            "deepspeed",
            _DEEPSPEED,
            {
                "skipped": (10, 0.0),
                "lr": (10, 0.001),
                "mom": (10, 0.9),
                "RunningAvgSamplesPerSec": (10, 99.5),
                "CurrSamplesPerSec": (10, 101.25),
                "MemAllocated": (10, 1.5),
                "MaxMemAllocated": (10, 2.0),
                "loss": (20, 5.4321),
                "iter time (s)": (20, 0.125),
                "samples/sec": (20, 64.0),
            },
        ),
        (
            "nanotron",
            _NANOTRON,
            {
                "consumed_tokens": (10, 20500.0),
                "tokens_per_sec": (10, 4100.0),
                "global_batch_size": (10, 1020.0),
                "lm_loss": (10, 11.0),
                "lr": (10, 0.0001),
                "grad_norm": (10, 1.2),
            },
        ),
    ],
)
def test_lines_of_libraries(library: str, content: str, expected: dict[str, tuple[int, float]], tmp_path: Path) -> None:
    (tmp_path / "train.log").write_text(content)
    (run,) = read_all(tmp_path).runs.values()
    assert {tag: [repr(row[:2]) for row in rows] for tag, rows in run.scalars.items()} == {
        tag: [repr(row)] for tag, row in expected.items()
    }
    assert run.lineage["tracker"]["name"] == library


def test_a_log_that_has_no_values_yet_is_followed(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_text("using world size: 8\n" + "argument ..... 1\n" * 2000)
    follower = Follower(tmp_path, Limits(bytes=500)).round()
    with log.open("a") as file:
        file.write(_MEGATRON[:-100])
    follower.round()
    with log.open("a") as file:
        file.write(_MEGATRON[-100:])
    (run,) = follower.round().runs.values()
    assert [row[:2] for row in run.scalars["lm loss"]] == [(100, 7.5)]
    assert [row[:2] for row in run.scalars["lm loss value"]] == [(100, 7.25)]


def test_own_patterns_come_first(tmp_path: Path) -> None:
    config = tmp_path / "patterns.json"
    line = r"^(?P<time>\S+ \S+) it (?P<step>[\d,]+): loss=(?P<loss>\S+)(?: acc=(?P<acc>\S+))?"
    config.write_text(json.dumps([{"name": "ours", "files": "run*.err", "line": line}]))
    own_patterns.use(str(config))
    logs = tmp_path / "logs"
    logs.mkdir()
    content = (
        "2026-11-17 10:00:00+00:00 it 1,000: loss=0.5\nother\n1763373601 x\n"
        "2026-11-17 10:00:01+00:00 it 1001: loss=inf acc=1e-1\n"
    )
    for name in ("run1.err", "other.err", "run1.log"):
        (logs / name).write_text(content)
    (run,) = read_all(logs).runs.values()
    assert run.name == "run1.err"
    assert run.scalars["loss"][0] == (1000, 0.5, 1794909600.0)
    assert [row[:2] for row in run.scalars["loss"]] == [(1000, 0.5), (1001, math.inf)]
    assert [row[:2] for row in run.scalars["acc"]] == [(1001, 0.1)]


def test_a_pattern_that_takes_too_long_is_given_up(tmp_path: Path) -> None:
    config = tmp_path / "patterns.json"
    config.write_text(json.dumps([{"line": r"^(?P<step>\d+) (?P<loss>(?:a|a|aa)+)b"}]))
    own_patterns.use(str(config))
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs/x.log").write_text("1 " + "a" * 3000 + "\n")
    started = time.process_time()
    assert not read_all(tmp_path / "logs").runs
    assert time.process_time() - started < 3


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"{", "not JSON"),
        (b"{}", "not a list"),
        (b"[1]", "not an object"),
        (b'[{"line": "("}]', "no regular expression"),
        (b'[{"line": "loss (?P<loss>.)"}]', "no group"),
        (b'[{"line": "(?P<step>.)"}]', "no group for a value"),
        (b'[{"line": "(?P<step>.)", "pairs": "(.)"}]', "two groups"),
        (b'[{"line": "(?P<step>.)(?P<a>.)", "colour": "red"}]', "unknown key: colour"),
        (b'[{"name": "a", "line": "(?P<step>.)(?P<a>.)"}, {"name": "a", "line": "(?P<step>.)(?P<a>.)"}]', "same name"),
    ],
)
def test_patterns_that_cannot_be_used_say_why(content: bytes, reason: str) -> None:
    with pytest.raises(own_patterns.PatternsUnreadable, match=reason):
        own_patterns.parse(content)


@pytest.mark.parametrize(
    "content",
    [
        "step: 1 of the installation\n",
        "loss: 0.5\n",
        "[INFO] iteration done\n",
        "2026-11-17 10:00:00 GET /steps: 200\n",
        "\0\0step: 1  loss: 2\n",
        "",
    ],
)
def test_other_texts_are_no_runs(content: str, tmp_path: Path) -> None:
    for name in ("a.log", "b.out", "c.txt", "d.err"):
        (tmp_path / name).write_text(content)
    assert not read_all(tmp_path).dialects


@settings(deadline=None, max_examples=60)
@given(
    content=st.sampled_from(
        [
            (CASES / "text/torchtitan/train.log").read_bytes(),
            *(each.encode() for each in (_MEGATRON, _DEEPSPEED, _NANOTRON)),
        ]
    ),
    changes=st.lists(
        st.tuples(st.integers(0, 1 << 20), st.integers(0, 4), st.integers(0, 255)), min_size=1, max_size=4
    ),
)
def test_mutated_files_cost_nothing_else(
    content: bytes, changes: list[tuple[int, int, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    base = tmp_path_factory.mktemp("mutated")
    (base / "run").mkdir()
    (base / "run/train.log").write_bytes(content)
    (base / "neighbour.csv").write_text("step,loss\n1,0.5\n")
    follower = Follower(base, Limits(bytes=200), raises=False).round()
    (base / "run/train.log").write_bytes(mutated(content, changes))
    follower.round()
    assert [row[:2] for row in follower.runs["neighbour.csv"].scalars["loss"]] == [(1, 0.5)]
