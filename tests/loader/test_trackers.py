"""Logs of trackers in the index: as they were recorded, followed live, replaced, damaged, and beside other logs."""

from __future__ import annotations

import math
import os
import random
import shutil
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from mindinsight_like.items.series import IMAGES, TEXTS, read_file, read_items
from mindinsight_like.lineage.records.gather import gather
from mindinsight_like.loader.following import SliceLimits
from mindinsight_like.store.database.database import open_database
from mindinsight_like.trackers import documents
from mindinsight_like.trackers.reader import Log, Slice
from mindinsight_like.trackers.readers.json_lines import JsonLinesReader
from tests.trackers.cases import CASES
from tests.trackers.reading import expected_runs, number

from .logs import (
    Loading,
    answers,
    append,
    assert_same,
    clean_answers,
    json_rows,
    optuna_journal,
    tensorboard_records,
    write,
)

_SMALL = SliceLimits(bytes=700, points=20, keys=3)


def recorded_cases() -> list[str]:
    """The recorded cases whose tracker has a reader."""
    from mindinsight_like.trackers import registry

    trackers = {
        "WANDB": tuple(
            f"wandb/{name}"
            for name in (
                "big_records",
                "damaged",
                "everything",
                "exit_in_the_middle",
                "forked",
                "killed",
                "old_0_13",
                "resumed",
                "sweep_group",
            )
        ),
        "SWANLAB": tuple(f"swanlab/{name}" for name in ("damaged", "everything", "exit_in_the_middle", "group")),
        "MLFLOW_RUN": (
            "mlflow/file_store_2_9",
            "mlflow/file_store_3",
            "mlflow/sklearn_autolog_file",
            "mlflow/file_damaged",
        ),
        "MLFLOW_DATABASE": ("mlflow/sqlite_3", "mlflow/sqlite_live_wal", "mlflow/sklearn_autolog_sqlite"),
        "TRACKIO": ("trackio/project", "trackio/resumed", "trackio/live_wal"),
        "OPTUNA_DATABASE": ("optuna/sqlite_5",),
        "DVCLIVE": ("dvclive/epochs", "dvclive/resumed"),
        "SACRED": ("sacred/digits",),
        "CLEARML": ("clearml/offline",),
        "COMET": ("comet/offline",),
        "OPTUNA_JOURNAL": ("optuna/journal_5", "optuna/journal_cut"),
        "JSON_LINES": ("jsonl/detr", "jsonl/half_line", "jsonl/nested", "jsonl/step", "jsonl/wandb_history"),
    }
    return [case for dialect in registry._READERS for case in trackers.get(dialect.name, ())]


@pytest.mark.parametrize("limits", [SliceLimits(), _SMALL], ids=["whole", "slices"])
@pytest.mark.parametrize("case", recorded_cases())
def test_a_recorded_case_is_answered_as_it_was_logged(
    base_dir: Path, tmp_path: Path, case: str, limits: SliceLimits
) -> None:
    shutil.copytree(CASES / case, base_dir / "case")
    before = _names_and_bytes(base_dir)
    loading = Loading(base_dir, tmp_path / "workspace", limits=limits)
    try:
        loading.round()
        for expected in expected_runs(CASES / case)["runs"]:
            _compare(loading, expected)
        once = answers(loading.reader)
        loading.restart()
        version = _version(loading)
        loading.round()
        assert _version(loading) == version  # nothing was read again
        assert_same(once, answers(loading.reader))
    finally:
        loading.close()
    assert _names_and_bytes(base_dir) == before


def _compare(loading: Loading, expected: dict[str, Any]) -> None:
    place = f"case/{expected['path']}"
    runs = loading.runs()
    if expected.get("deleted"):
        assert not any(name.endswith(expected["id"]) for name in runs)
        return
    candidates = [place, place.rpartition("/")[0], f"case/{expected['name']}", f"case/{expected.get('id')}"]
    candidates += [place.removesuffix(".zip")]
    candidates += [each for each in runs if each.endswith(f"/{expected.get('id')}")]
    name = next(each for each in candidates if each in runs)
    (run,) = (each for each in loading.reader.runs.find()[1] if each.name == name)
    for tag, rows in expected["scalars"].items():
        if tag in expected.get("optional_tags", ()):
            continue
        read = loading.points(name, tag, resume="all")
        # A library's own reader may give a negative zero as zero.
        read = [(step, value + 0.0) for step, value in read]
        wanted = [(row[0], _finite_or_not(number(row[1])) + 0.0) for row in rows]
        if expected.get("damage"):
            assert set(map(repr, wanted)) <= set(map(repr, read))
        else:
            assert repr(sorted(read, key=repr)) == repr(sorted(wanted, key=repr))
    if expected["state"] == "unfinished":
        assert run.status.state in ("running", "stalled", "unknown")
    elif expected["state"] != "unknown":
        assert run.status.state == expected["state"]
        if expected["tracker_state"] is not None:
            assert run.status.word.lower() == expected["tracker_state"].removeprefix("RUN_STATE_").lower()
        if expected.get("ended") is not None:
            assert run.status.ended_at == pytest.approx(expected["ended"], abs=1e-3)


def _finite_or_not(value: float) -> float:
    """MLflow's databases hold the largest number for infinity, which its own client gives back."""
    return math.copysign(math.inf, value) if abs(value) == sys.float_info.max else value


def _names_and_bytes(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def _version(loading: Loading) -> str:
    connection = open_database(loading.location.database).connect()
    try:
        ((version,),) = connection.execute("SELECT value FROM meta WHERE key = 'version'")
        return str(version)
    finally:
        connection.close()


def _lineage(loading: Loading) -> dict[str, Any]:
    runs = loading.reader.runs.find()[1]
    records = gather(loading.reader, [run.id for run in runs])
    return {run.name: records[run.id].to_json() for run in runs}


def _mlflow_run(folder: Path, steps: int, *, status: int = 1) -> None:
    write(
        folder / "meta.yaml",
        f"end_time: null\nlifecycle_stage: active\nrun_id: {folder.name}\nrun_name: some run\n"
        f"start_time: 1700000000000\nstatus: {status}\n".encode(),
    )
    write(folder / "params/lr", b"0.1")
    for tag in ("loss", "val/acc"):
        lines = "".join(f"{1_700_000_000_000 + step} {step / 3} {step}\n" for step in range(steps))
        write(folder / "metrics" / tag, lines.encode())


@pytest.mark.parametrize("seed", range(4))
def test_logs_that_grow_come_to_what_one_load_gives(base_dir: Path, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    contents = {
        "rows/metrics.jsonl": json_rows(range(300)),
        "rows/more.jsonl": json_rows(range(50), lr=0.5),
        "search/journal.log": b"".join(optuna_journal(3, 8, 5)),
    }
    loading = Loading(base_dir, tmp_path / "workspace", limits=_SMALL)
    left = dict(contents)
    try:
        steps = 0
        while any(left.values()):
            for name in left:
                size = chance.choice((0, 1, 30, 500, 5000))
                write(base_dir / name, b"") if not (base_dir / name).exists() else None
                append(base_dir / name, left[name][:size])
                left[name] = left[name][size:]
            steps = min(100, steps + chance.randint(0, 30))
            _mlflow_run(base_dir / "mlruns/0" / ("a" * 32), steps)
            loading.round()
            if chance.randint(0, 3) == 0:
                loading.restart()
        loading.round()
        live = answers(loading.reader)
        lineage = _lineage(loading)
    finally:
        loading.close()
    clean = Loading(base_dir, tmp_path / "clean")
    try:
        clean.round()
        assert_same(_without_times(live), _without_times(answers(clean.reader)))
        assert lineage == _lineage(clean)
    finally:
        clean.close()


def _without_times(found: dict[str, Any]) -> dict[str, Any]:
    """Who followed a log knows no better than others when it was begun that says nothing of it."""
    return {
        run: {**about, "created_at": None, "files": [f.name for f in about["files"]]} for run, about in found.items()
    }


def test_a_log_that_was_replaced_is_read_anew(loading: Loading, base_dir: Path) -> None:
    rows, journal = base_dir / "a/metrics.jsonl", base_dir / "b/journal.log"
    write(rows, json_rows(range(20), lr=0.1))
    write(journal, b"".join(optuna_journal(2, 3, 4)))
    _mlflow_run(base_dir / "c" / ("b" * 32), 9)
    loading.round()
    assert "b/study 1/2" in loading.runs()

    write(rows, json_rows(range(5)))
    write(journal, b"".join(optuna_journal(1, 2, 1)))
    _mlflow_run(base_dir / "c" / ("b" * 32), 2, status=4)
    loading.round()

    assert loading.runs() == ["a", "b/study 0/0", "b/study 0/1", f"c/{'b' * 32}"]
    assert loading.steps("a", "loss") == list(range(5))
    assert [tag.tag for tag in loading.reader.series.tags(loading.id_of("a"))["scalars"]] == ["loss"]
    assert loading.steps("b/study 0/0", "intermediate") == [0]
    assert loading.steps(f"c/{'b' * 32}", "val/acc") == [0, 1]
    journal.unlink()
    shutil.rmtree(base_dir / "c")
    loading.round()
    assert loading.runs() == ["a"]


def test_a_study_that_was_deleted_is_gone(loading: Loading, base_dir: Path) -> None:
    journal = base_dir / "journal.log"
    write(journal, b"".join(optuna_journal(2, 3, 4)))
    loading.round()
    assert len(loading.runs()) == 6
    append(journal, b'{"op_code":1,"worker_id":"w","study_id":0}\n')
    loading.round()
    assert loading.runs() == [f"study 1/{trial}" for trial in range(3)]


def test_files_of_trackers_are_read_by_nobody_else(loading: Loading, base_dir: Path) -> None:
    write(base_dir / "run/metrics.jsonl", json_rows(range(3)))
    write(base_dir / "run/events.out.tfevents.1.host", tensorboard_records("accuracy", range(3)))
    _mlflow_run(base_dir / "mlruns/0" / ("c" * 32), 3)
    write(base_dir / f"mlruns/0/{'c' * 32}/metrics/metrics.jsonl", json_rows(range(3)))
    loading.round()
    assert loading.runs() == [f"mlruns/0/{'c' * 32}", "run"]
    (run,) = (each for each in loading.reader.runs.find()[1] if each.name == "run")
    assert run.dialects == ["jsonl", "tensorboard"]
    assert run.counts == {"scalars": 2}


@pytest.mark.parametrize(
    ("folder", "is_read"),
    [
        (".hidden", False),
        ("node_modules/x", False),
        ("__pycache__", False),
        (".cache/pip", False),
        (".cache/huggingface/hub", False),
        (".cache/huggingface/trackio", True),
        (".guild/runs/abc", True),
        ("env", False),
        ("plain", True),
    ],
)
def test_folders_that_nobody_keeps_logs_in_are_passed_over(
    loading: Loading, base_dir: Path, folder: str, is_read: bool
) -> None:
    if folder == "env":
        write(base_dir / "env/pyvenv.cfg", b"home = /usr/bin\n")
    write(base_dir / folder / "metrics.jsonl", json_rows(range(3)))
    write(base_dir / folder / "events.out.tfevents.1.host", tensorboard_records("accuracy", range(3)))
    loading.round()
    assert loading.runs() == ([folder] if is_read else [])


def test_links_lead_to_no_log_of_a_tracker(loading: Loading, base_dir: Path, tmp_path: Path) -> None:
    write(tmp_path / "outside/metrics.jsonl", json_rows(range(3)))
    (base_dir / "folder").symlink_to(tmp_path / "outside")
    (base_dir / "run").mkdir()
    (base_dir / "run/metrics.jsonl").symlink_to(tmp_path / "outside/metrics.jsonl")
    write(base_dir / "real/metrics.jsonl", json_rows(range(3)))
    (base_dir / "latest").symlink_to(base_dir / "real")
    loading.round()
    assert loading.runs() == ["real"]


def test_a_file_that_becomes_a_log_is_found(loading: Loading, base_dir: Path) -> None:
    path = write(base_dir / "run/metrics.jsonl", b"")
    loading.round()
    assert loading.runs() == []
    append(path, b'{"step": 0, ')
    loading.round()
    append(path, b'"loss": 0.5}\n')
    loading.round()
    assert loading.points("run", "loss") == [(0, 0.5)]


def test_a_file_of_the_base_dir_that_becomes_a_log_announces_itself(base_dir: Path, tmp_path: Path) -> None:
    path = write(base_dir / "metrics.jsonl", b"")
    os.utime(path, (1, 1))
    loading = Loading(base_dir, tmp_path / "workspace", most_watches=100)
    try:
        loading.round()
        append(path, b'{"step": 0, "loss": 0.5}\n')
        _follow(loading, lambda: loading.runs() == ["."])
    finally:
        loading.close()


def test_growing_members_announce_themselves(base_dir: Path, tmp_path: Path) -> None:
    folder = base_dir / "mlruns/0" / ("d" * 32)
    _mlflow_run(folder, 3)
    loading = Loading(base_dir, tmp_path / "workspace", most_watches=100)
    try:
        loading.round()
        append(folder / "metrics/val/acc", b"1700000000100 0.5 100\n")
        _follow(loading, lambda: loading.steps(f"mlruns/0/{'d' * 32}", "val/acc")[-1] == 100)
        write(folder / "metrics/new/one", b"1700000000100 0.5 7\n")
        _follow(loading, lambda: len(loading.reader.series.tags(loading.id_of(loading.runs()[0]))["scalars"]) == 3)
    finally:
        loading.close()


def _follow(loading: Loading, is_there: Any) -> None:
    end = time.monotonic() + 10
    while not is_there():
        assert time.monotonic() < end
        loading.loader.round_over_hot_files()


def test_damage_is_told_with_its_place_and_costs_nothing_else(loading: Loading, base_dir: Path) -> None:
    content = json_rows(range(3))
    write(base_dir / "a/metrics.jsonl", content + b"rubbish\n" + json_rows(range(3, 6)))
    lines = optuna_journal(1, 2, 3)
    write(base_dir / "b/journal.log", lines[0] + b'{"op_code":4}\n' + b"".join(lines[1:]))
    loading.round()
    assert loading.steps("a", "loss") == list(range(6))
    by_name = {run.name: run for run in loading.reader.runs.find()[1]}
    (warning,) = by_name["a"].warnings
    assert (warning.file, warning.offset) == ("a/metrics.jsonl", len(content))
    assert "rubbish" in warning.message
    # What a store says of itself belongs to none of its runs.
    (warning,) = by_name["b"].warnings
    assert (warning.file, warning.offset) == ("b/journal.log", len(lines[0]))
    assert by_name["b/study 0/1"].warnings == []


def test_pictures_are_read_from_the_folder_of_their_run(loading: Loading, base_dir: Path) -> None:
    shutil.copytree(CASES / "mlflow/file_store_3", base_dir / "case")
    loading.round()
    runs = [run for run in loading.reader.runs.find()[1] if run.counts.get("images")]
    (series,) = read_items(loading.reader, IMAGES, [runs[0].id], None)
    (item,) = series.items
    assert item.value is not None
    assert (item.value.width, item.value.height) == (16, 12)
    file = read_file(loading.reader, item.reference)
    assert file.content_type == "image/png"
    assert file.data == (base_dir / runs[0].name / "artifacts/pictures/pic.png").read_bytes()


def _with_texts(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """Let each slice of JSON lines bring a text of some size."""
    read = JsonLinesReader.read

    def with_text(reader: JsonLinesReader, log: Log) -> Slice:
        part = read(reader, log)
        part.runs[0].items.append(documents.text("note", part.position, 0.0, str(part.position % 10) * size))
        return part

    monkeypatch.setattr(JsonLinesReader, "read", with_text)


def _texts(loading: Loading, run: str) -> list[str | None]:
    (series,) = read_items(loading.reader, TEXTS, [loading.id_of(run)], None)
    return [item.value.text if item.value is not None else None for item in series.items]


def test_documents_of_many_slices_are_joined(base_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _with_texts(monkeypatch, 900)
    write(base_dir / "a/metrics.jsonl", json_rows(range(600)))
    loading = Loading(base_dir, tmp_path / "workspace", limits=SliceLimits(bytes=300))
    try:
        loading.round()
        texts = _texts(loading, "a")
        assert len(texts) > 50
        assert all(text is not None and text == text[0] * 900 for text in texts)
        connection = open_database(loading.location.database).connect()
        ((pieces,),) = connection.execute("SELECT COUNT(*) FROM documents")
        connection.close()
        assert pieces < 5
    finally:
        loading.close()


@pytest.mark.parametrize("size", [10, 400_000], ids=["in the database", "in a file"])
def test_damaged_documents_are_made_anew(
    loading: Loading, base_dir: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    _with_texts(monkeypatch, size)
    write(base_dir / "a/metrics.jsonl", json_rows(range(3)))
    loading.round()
    before = _texts(loading, "a")
    assert len(before[0] or "") == size
    connection = open_database(loading.location.database).connect(write=True)
    ((number, data),) = connection.execute("SELECT id, data FROM documents")
    with connection.transaction():
        if data is None:
            path = loading.location.segments / str(number)
            content = bytearray(path.read_bytes())
            content[5] ^= 1
            path.write_bytes(content)
        else:
            content = bytearray(data)
            content[5] ^= 1
            connection.execute("UPDATE documents SET data = ?", (bytes(content),))
    connection.close()
    assert _texts(loading, "a") == [None]
    loading.round()
    loading.round()
    assert _texts(loading, "a") == before
    assert not loading.loader._writer.repairs.files()


def test_lineage_that_changes_with_every_slice_takes_no_more_room(loading: Loading, base_dir: Path) -> None:
    folder = base_dir / "mlruns" / ("f" * 32)
    name = f"mlruns/{'f' * 32}"
    for turn in range(5):
        _mlflow_run(folder, turn + 1)
        write(folder / "tags/turn", str(turn).encode())
        write(folder / f"params/p{turn}", b"1")
        loading.round()
        values = _lineage(loading)[name]["values"]
        assert values["user_defined/tags/turn"] == str(turn)
        assert [f"hparam/p{each}" in values for each in range(5)] == [each <= turn for each in range(5)]
    connection = open_database(loading.location.database).connect()
    assert connection.execute("SELECT bytes FROM documents") == [(2,)]
    connection.close()


def test_a_store_is_read_again_when_segments_of_one_of_its_runs_are_damaged(loading: Loading, base_dir: Path) -> None:
    write(base_dir / "b/journal.log", b"".join(optuna_journal(2, 3, 4)))
    loading.round()
    before = answers(loading.reader)
    ids = [file.id for runs in loading.loader._store_runs.values() for file in runs.values()]
    loading.loader._writer.repairs.request_file(ids[2])
    loading.round()
    loading.round()
    assert not loading.loader._writer.repairs.files()
    assert_same(before, answers(loading.reader))


@pytest.mark.parametrize("seed", range(12))
def test_mutated_bytes_cost_no_neighbour(base_dir: Path, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    write(base_dir / "good/metrics.jsonl", json_rows(range(30)))
    write(base_dir / "good/events.out.tfevents.1.host", tensorboard_records("accuracy", range(30)))
    for case in recorded_cases():
        shutil.copytree(CASES / case, base_dir / case)
    for path in sorted((base_dir).rglob("*")):
        if path.is_file() and "good" not in path.parts and path.name != "expected.json":
            content = bytearray(path.read_bytes())
            for _ in range(chance.randint(0, 6)):
                _mutate(content, chance)
            path.write_bytes(content)
    loading = Loading(
        base_dir,
        tmp_path / "workspace",
        limits=chance.choice((SliceLimits(bytes=9000, points=300, keys=9), SliceLimits())),
    )
    try:
        loading.round()
        assert loading.steps("good", "loss") == list(range(30))
        assert loading.steps("good", "accuracy") == list(range(30))
        first = answers(loading.reader)
        _lineage(loading)
        loading.restart()
        loading.round()
        assert_same(first, answers(loading.reader))
    finally:
        loading.close()


def _mutate(content: bytearray, chance: random.Random) -> None:
    place = chance.randint(0, len(content))
    match chance.randint(0, 4):
        case 0:
            del content[place:]
        case 1:
            content[place:place] = chance.randbytes(chance.randint(1, 20))
        case 2:
            content[place : place + 1] = chance.choice((b"\n", b"\0", b"{", b"9" * 40, b"\xff", b"NaN", b"1e999"))
        case 3 if place < len(content):
            content[place] ^= 1 << chance.randint(0, 7)
        case _:
            del content[place : place + chance.randint(1, 30)]


def test_a_reader_that_fails_is_named(loading: Loading, base_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise ZeroDivisionError("a mistake of ours")

    write(base_dir / "a/metrics.jsonl", json_rows(range(3)))
    write(base_dir / "b/journal.log", b"".join(optuna_journal(1, 1, 2)))
    with monkeypatch.context() as patch:
        patch.setattr(JsonLinesReader, "read", fail)
        loading.round()
    (run,) = (each for each in loading.reader.runs.find()[1] if each.name == "a")
    assert "a mistake of ours" in run.warnings[0].message
    assert "b/study 0/0" in loading.runs()
    loading.round()
    assert loading.steps("a", "loss") == list(range(3))
    (run,) = (each for each in loading.reader.runs.find()[1] if each.name == "a")
    assert run.warnings == []


def test_a_log_that_cannot_be_opened_is_named_and_kept(loading: Loading, base_dir: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may open everything")
    path = write(base_dir / "a/metrics.jsonl", json_rows(range(3)))
    loading.round()
    append(path, json_rows(range(3, 4)))
    path.chmod(0)
    loading.round()
    assert loading.steps("a", "loss") == list(range(3))
    path.chmod(0o600)
    loading.round()
    assert loading.steps("a", "loss") == list(range(4))


def test_what_is_followed_is_the_same_as_a_clean_index(base_dir: Path, tmp_path: Path, loading: Loading) -> None:
    for case in recorded_cases():
        shutil.copytree(CASES / case, base_dir / case)
        loading.round()
    assert_same(answers(loading.reader), clean_answers(base_dir, tmp_path / "clean"))
