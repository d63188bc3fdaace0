"""`app demo`: runs in all dialects, really trained, in a folder that is ours."""

from __future__ import annotations

import math
import time
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import pytest

import mindinsight_like as mi
from mindinsight_like.demo.folder import DemoFolder, Recipe
from mindinsight_like.demo.recording import record, record_live
from mindinsight_like.logs.batch import Batch
from mindinsight_like.logs.kinds import Dialect, Kind, SeriesName, parse_key
from mindinsight_like.logs.names import classify
from mindinsight_like.logs.scanner import Scanner
from mindinsight_like.logs.whole_files import WHOLE_FILES
from mindinsight_like.profiler.analysis.analysed import Analysed, analyse
from mindinsight_like.profiler.traces.files import Files
from mindinsight_like.profiler.traces.sources import read, sources_of
from mindinsight_like.scripts.cli import main

NOW = 1_750_000_000.0
Points = list[tuple[int, float, float]]  # step, wall time, value
Blobs = list[tuple[int, float, bytes]]  # step, wall time, content

EVERYWHERE = {Kind.SCALAR, Kind.IMAGE, Kind.HISTOGRAM}
KINDS = {
    "tensorboard": EVERYWHERE
    | {Kind.TEXT, Kind.AUDIO, Kind.VIDEO, Kind.TENSOR, Kind.GRAPH, Kind.PR_CURVE, Kind.MESH}
    | {Kind.HPARAMS, Kind.CUSTOM_SCALARS},
    "visualdl": EVERYWHERE
    | {Kind.TEXT, Kind.AUDIO, Kind.EMBEDDING, Kind.PR_CURVE, Kind.ROC_CURVE, Kind.HPARAMS, Kind.META},
    "mindspore": EVERYWHERE | {Kind.TENSOR, Kind.GRAPH, Kind.LINEAGE, Kind.LANDSCAPE},
}
# Named after the file, whose path differs, or dated by the writer itself.
OF_THE_MOMENT = {Kind.META, Kind.HPARAMS}


def _logs(run: Path) -> list[Path]:
    """Files of records; models, projector configs and run states are none."""
    names = ((path, classify(path.name)) for path in sorted(run.rglob("*")) if path.is_file())
    others = {*WHOLE_FILES, Dialect.RUN_STATE}
    return [path for path, name in names if name is not None and name.dialect not in others]


def _batch(log: Path) -> Batch:
    kind = classify(log.name)
    assert kind is not None
    scanner = Scanner(kind.dialect)
    assert scanner.feed(log.read_bytes(), at_end=True) == log.stat().st_size
    batch = scanner.take()
    assert not batch.damage
    return batch


def _points(log: Path) -> dict[SeriesName, Points]:
    batch = _batch(log)
    found: dict[SeriesName, Points] = {}
    for place, number in enumerate(batch.scalar_numbers):
        part = slice(int(batch.scalar_starts[place]), int(batch.scalar_starts[place + 1]))
        columns = (batch.steps[part].tolist(), batch.walls[part].tolist(), batch.values[part].tolist())
        found[parse_key(batch.keys[number])] = list(zip(*columns, strict=True))
    return found


def _blobs(log: Path) -> dict[SeriesName, Blobs]:
    batch, content = _batch(log), log.read_bytes()
    found: dict[SeriesName, Blobs] = {}
    for place, number in enumerate(batch.blob_numbers):
        part = slice(int(batch.blob_starts[place]), int(batch.blob_starts[place + 1]))
        places = zip(batch.blob_offsets[part].tolist(), batch.blob_lengths[part].tolist(), strict=True)
        values = [content[offset : offset + length] for offset, length in places]
        columns = (batch.blob_steps[part].tolist(), batch.blob_walls[part].tolist(), values)
        found[parse_key(batch.keys[number])] = list(zip(*columns, strict=True))
    return found


def _scalars(run: Path) -> dict[str, Points]:
    """Every point of a run's own curves by tag, in the order of the files."""
    found: dict[str, Points] = defaultdict(list)
    for log in _logs(run):
        if log.parent == run:
            for name, points in _points(log).items():
                if not name.sub:
                    found[name.tag] += points
    return found


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _values(folder: Path) -> list[tuple[Path, object, object]]:
    """Everything in the logs below a folder, but not their names, which tell the process."""
    found = [
        (
            log.parent.relative_to(folder),
            {name: [(*where, repr(value)) for *where, value in points] for name, points in _points(log).items()},
            {name: blobs for name, blobs in _blobs(log).items() if name.kind not in OF_THE_MOMENT},
        )
        for log in _logs(folder)
    ]
    return sorted(found, key=repr)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return record(DemoFolder(tmp_path_factory.mktemp("demo")), Recipe(runs=6, seed=0), now=NOW)


def test_all_dialects_appear_and_runs_learn(runs: list[Path]) -> None:
    assert {run.parent.name for run in runs} == {"tensorboard", "mindspore", "visualdl"}
    accuracies = [_scalars(run)["eval/accuracy"] for run in runs]
    assert sorted(points[-1][2] for points in accuracies)[-1] > 0.95
    assert all(points[0][2] < 0.6 for points in accuracies)


def test_one_run_was_profiled_and_one_has_two_ranks_of_which_the_second_is_slow(runs: list[Path]) -> None:
    def analysed(run: Path) -> list[Analysed]:
        names = [path.relative_to(run).as_posix() for path in run.glob("profiler/*.mi-trace")]
        return [analyse(read(source, Files(str(run)), lambda share: None)) for source in sources_of(names)]

    (alone,) = analysed(runs[0])
    first, second = analysed(runs[1])

    assert alone.summary().totals.steps == 40
    assert {row["type"] for row in alone.operators("type", side="host").rows} >= {"MatMul", "MatMulGrad", "SGD"}
    assert sorted(track["name"] for track in alone.tracks().tracks) == ["MainThread", "loader"]
    assert abs(alone.trace.origin / 1e9 - NOW) < 86400 and not alone.trace.losses
    assert (first.trace.rank, second.trace.rank, first.trace.ranks) == (0, 1, 2)
    waiting, slow = first.steps()["average"]["parts"], second.steps()["average"]["parts"]
    assert slow["compute"] > 1.2 * waiting["compute"]
    assert waiting["communication"] > 3 * slow["communication"]  # it waits for the other


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

    names = [classify(log.name) for log in _logs(resumed)]
    assert len({name.created for name in names if name is not None}) == 2
    assert backward == [(330, 301)]


def test_times_move_on_and_lie_in_the_past(runs: list[Path]) -> None:
    for run in runs:
        times = [time for _, time, _ in _scalars(run)["train/loss"]]
        assert times == sorted(times)
        assert NOW - 86_400 < times[0] < times[-1] < NOW


def test_each_dialect_shows_every_kind_it_has(runs: list[Path]) -> None:
    for run in runs[:3]:
        logs = _logs(run)

        assert {name.kind for log in logs for name in (*_points(log), *_blobs(log))} == KINDS[run.parent.name]


def test_numbers_that_share_a_chart_are_recorded_together(runs: list[Path]) -> None:
    tensorboard, _, visualdl = runs[:3]

    assert {path.name for path in (tensorboard / "loss").iterdir()} == {"train", "eval"}
    assert {name.sub for log in _logs(visualdl) for name in _points(log) if name.tag == "loss"} == {"train", "eval"}


def test_embeddings_for_tensorboard_stand_beside_its_log(runs: list[Path]) -> None:
    listed = (runs[0] / "projector_config.pbtxt").read_text()
    tensors = runs[0] / "00500" / "eval%2ffeatures" / "tensors.tsv"

    assert "00500/eval%2ffeatures/tensors.tsv" in listed
    assert len(tensors.read_text().splitlines()) == 400


def test_lineage_is_whole(runs: list[Path]) -> None:
    (lineage,) = [log for log in _logs(runs[1]) if log.name.endswith("_lineage")]

    assert {name.tag for name in _blobs(lineage)} == {"train", "evaluation", "dataset_graph", "user_defined"}


def test_folders_of_a_run_are_not_taken_for_runs(runs: list[Path], tmp_path: Path) -> None:
    opened = mi.open(runs[0].parents[1], workspace=tmp_path)

    assert set(opened.table()["run"]) == {str(run.relative_to(runs[0].parents[1])) for run in runs}
    assert not opened.table()["warnings"].any()
    assert (opened.table()["created_at"].astype("int64") < NOW * 1e9).all()


def test_the_same_seed_gives_the_same_values(tmp_path: Path) -> None:
    for name in ("one", "two"):
        record(DemoFolder(tmp_path / name), Recipe(runs=3, seed=5), now=NOW)
    record(DemoFolder(tmp_path / "other"), Recipe(runs=3, seed=6), now=NOW)

    one, two, other = (_values(tmp_path / name) for name in ("one", "two", "other"))
    assert one == two
    assert [folder for folder, _, _ in one] == [folder for folder, _, _ in other]
    assert one != other


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
    assert "contains other files" in capsys.readouterr().err


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
    now = [time.time()]
    began = now[0]

    def sleep(seconds: float) -> None:
        now[0] += seconds
        sizes.append(sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file()))

    written = record_live(DemoFolder(tmp_path), seconds=2, clock=lambda: now[0], sleep=sleep)

    assert len(written) == 3
    assert sizes == sorted(set(sizes))
    assert now[0] == pytest.approx(began + 2)
    for run in written:
        points = _scalars(run)["train/loss"]
        assert [step for step, _, _ in points] == list(range(1, 17))
        if "mindspore" not in run.name:  # whose writer looks at the clock itself
            assert [wall for _, wall, _ in points] == pytest.approx([began + step / 8 for step in range(16)], abs=0.01)
