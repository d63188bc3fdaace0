"""`app demo`: runs in all dialects, really trained, in a folder that is ours."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import pytest

from mindinsight_like.demo.folder import DemoFolder, Recipe
from mindinsight_like.demo.recording import record, record_live
from mindinsight_like.logs.kinds import Dialect, Kind, parse_key
from mindinsight_like.logs.scanner import Scanner
from mindinsight_like.scripts.cli import main

NOW = 1_750_000_000.0
NAMES = {"tfevents": Dialect.TENSORBOARD, "summary": Dialect.MINDSPORE, "vdlrecords": Dialect.VISUALDL}
Points = list[tuple[int, float, float]]  # step, wall time, value


def _scalars(run: Path) -> dict[str, Points]:
    """Every point of a run by tag, in the order of the files."""
    found: dict[str, Points] = defaultdict(list)
    for log in sorted(run.iterdir()):
        scanner = Scanner(next(dialect for part, dialect in NAMES.items() if part in log.name))
        assert scanner.feed(log.read_bytes(), at_end=True) == log.stat().st_size
        batch = scanner.take()
        assert not batch.damage
        for place, number in enumerate(batch.scalar_numbers):
            name = parse_key(batch.keys[number])
            assert name.kind is Kind.SCALAR
            part = slice(int(batch.scalar_starts[place]), int(batch.scalar_starts[place + 1]))
            columns = (batch.steps[part].tolist(), batch.walls[part].tolist(), batch.values[part].tolist())
            found[name.tag] += zip(*columns, strict=True)
    return found


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return record(DemoFolder(tmp_path_factory.mktemp("demo")), Recipe(runs=6, seed=0), now=NOW)


def test_all_dialects_appear_and_runs_learn(runs: list[Path]) -> None:
    assert {run.parent.name for run in runs} == {"tensorboard", "mindspore", "visualdl"}
    accuracies = [_scalars(run)["eval/accuracy"] for run in runs]
    assert sorted(points[-1][2] for points in accuracies)[-1] > 0.95
    assert all(points[0][2] < 0.6 for points in accuracies)


def test_every_run_has_groups_of_tags(runs: list[Path]) -> None:
    for run in runs:
        assert set(_scalars(run)) >= {"train/loss", "train/accuracy", "eval/loss", "optim/lr", "grad/norm"}


def test_one_run_diverges_to_nan(runs: list[Path]) -> None:
    last_losses = [_scalars(run)["train/loss"][-1][2] for run in runs]

    assert sum(map(math.isnan, last_losses)) == 1


def test_one_run_goes_on_from_its_checkpoint(runs: list[Path]) -> None:
    [resumed] = [run for run in runs if run.name.endswith("-resumed")]
    steps = [step for step, _, _ in _scalars(resumed)["train/loss"]]

    backward = [(before, after) for before, after in pairwise(steps) if after <= before]

    assert len(list(resumed.iterdir())) == 2
    assert backward == [(330, 301)]


def test_times_move_on_and_lie_in_the_past(runs: list[Path]) -> None:
    for run in runs:
        times = [time for _, time, _ in _scalars(run)["train/loss"]]
        assert times == sorted(times)
        assert NOW - 86_400 < times[0] < times[-1] < NOW


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        record(DemoFolder(tmp_path / name), Recipe(runs=3, seed=5), now=NOW)
    record(DemoFolder(tmp_path / "other"), Recipe(runs=3, seed=6), now=NOW)

    assert _files(tmp_path / "one") == _files(tmp_path / "two")
    assert _files(tmp_path / "one").keys() == _files(tmp_path / "other").keys()
    assert _files(tmp_path / "one") != _files(tmp_path / "other")


def test_the_command_says_how_to_view_the_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", str(tmp_path / "runs"), "--runs", "3"]) == 0

    assert f"app start --summary-base-dir {tmp_path / 'runs'}" in capsys.readouterr().out


def test_a_second_call_keeps_the_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["demo", str(tmp_path), "--runs", "2"])
    before = _files(tmp_path)

    assert main(["demo", str(tmp_path), "--runs", "2"]) == 0

    assert _files(tmp_path) == before
    assert "already" in capsys.readouterr().out


def test_other_parameters_replace_our_runs_only(tmp_path: Path) -> None:
    main(["demo", str(tmp_path), "--runs", "2"])
    own = tmp_path / "tensorboard" / "own" / "notes.txt"
    own.parent.mkdir()
    own.write_text("mine")

    assert main(["demo", str(tmp_path), "--runs", "1"]) == 0

    assert own.read_text() == "mine"
    assert sorted(path.name for path in tmp_path.glob("*/*")) == ["adam-lr0.01-hidden64-seed0", "own"]


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "thesis.txt").write_text("mine")

    assert main(["demo", str(tmp_path)]) == 1

    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]
    assert "holds other files" in capsys.readouterr().err


def test_a_marker_cannot_make_us_remove_other_folders(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo" / ".mindinsight-demo.json").write_text(
        '{"runs": ["../precious", "live/../../precious", "live/.."], "finished": null}'
    )

    DemoFolder(tmp_path / "demo").clear()

    assert precious.is_dir()


def test_live_runs_grow_in_step_with_the_clock(tmp_path: Path) -> None:
    sizes: list[int] = []
    now = [NOW]

    def sleep(seconds: float) -> None:
        now[0] += seconds
        sizes.append(sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file()))

    written = record_live(DemoFolder(tmp_path), seconds=2, clock=lambda: now[0], sleep=sleep)

    assert len(written) == 3
    assert sizes == sorted(set(sizes))
    assert now[0] == pytest.approx(NOW + 2)
    for run in written:
        times = [time for _, time, _ in _scalars(run)["train/loss"]]
        assert times == pytest.approx([NOW + step / 8 for step in range(16)], abs=0.01)
