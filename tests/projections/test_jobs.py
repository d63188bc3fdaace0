"""Projections as processes: started once, kept, shared, cancelled, and never believed to run when they do not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import psutil
import pytest

from mindinsight_like import SummaryWriter
from mindinsight_like.conf.settings import Settings
from mindinsight_like.errors import Busy, Rebuilding
from mindinsight_like.loader.once import load_once
from mindinsight_like.projections import jobs
from mindinsight_like.projections.embedding import Place, find_embedding
from mindinsight_like.projections.job_folder import ProjectionFolder, Status
from mindinsight_like.projections.jobs import Projections
from mindinsight_like.projections.request import ProjectionRequest
from mindinsight_like.store.database.location import run_id
from mindinsight_like.store.lru_eviction import evict
from mindinsight_like.store.reader import IndexReader

PLACE = Place(run_id("a"), "words", None, "")
LONG = ProjectionRequest("tsne", dimensions=2, iterations=10_000)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    vectors = np.random.default_rng(0).normal(size=(1500, 8)).astype(np.float32)
    with SummaryWriter(tmp_path / "logs" / "a") as writer:
        writer.add_embedding(vectors, tag="words", global_step=1)
    settings = Settings(workspace=tmp_path / "workspace", summary_base_dir=tmp_path / "logs")
    load_once(settings)
    return settings


@pytest.fixture
def projections(settings: Settings):
    made = _projections(settings)
    yield made
    for process in psutil.Process().children():  # nothing goes on after the test
        process.kill()


def _projections(settings, **options):
    reader = IndexReader.open(settings.summary_base_dir, settings.workspace)
    return Projections(settings, lambda: reader, **options)


def _until(happened, seconds=60.0):
    end = time.monotonic() + seconds
    while not (found := happened()):
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)
    return found


def _finished(projections, id):
    return _until(lambda: (now := projections.status(id)) and now.state in ("ready", "failed") and now)


def _workers():
    living = (each for each in psutil.Process().children() if each.status() != psutil.STATUS_ZOMBIE)
    return [each for each in living if "mindinsight_like.projections" in each.cmdline()]


def test_a_projection_is_computed_once_and_kept(projections, settings):
    id, first = projections.ask(PLACE, ProjectionRequest("pca"))
    done = _finished(projections, id)
    before = projections.points(id)

    again = _projections(settings).ask(
        PLACE, ProjectionRequest("pca", perplexity=5, dimensions=2)
    )  # of no meaning to PCA

    assert first.state in ("queued", "running")
    assert (done.state, done.progress) == ("ready", 1)
    assert again == (id, done)
    assert projections.points(id) == before
    assert projections.ask(PLACE, ProjectionRequest("pca", metric="cosine"))[0] != id


def test_another_worker_sees_how_far_it_is_and_points_on_the_way(projections, settings):
    id, _ = projections.ask(PLACE, LONG)
    other = _projections(settings)

    status = _until(lambda: (now := other.status(id)) and now.snapshot > 1 and now)
    assert other.ask(PLACE, LONG)[0] == id

    assert status.state == "running"
    assert 0 < status.progress < 1
    assert other.points(id).startswith(b"\x93NUMPY")
    assert len(_workers()) == 1


def test_a_cancelled_projection_is_gone_and_can_be_asked_for_again(projections):
    id, _ = projections.ask(PLACE, LONG)
    _until(lambda: projections.status(id).state == "running")

    projections.cancel(id)
    assert projections.status(id) is None
    again, status = projections.ask(PLACE, LONG)

    assert (again, status.state) == (id, "queued")
    _until(lambda: len(_workers()) == 1)


def test_a_projection_that_is_ready_cannot_be_cancelled(projections):
    id, _ = projections.ask(PLACE, ProjectionRequest("pca"))
    _finished(projections, id)

    projections.cancel(id)

    assert projections.status(id).state == "ready"


def test_a_killed_computation_is_told_from_one_that_runs_and_begins_anew(projections):
    id, _ = projections.ask(PLACE, LONG)
    _until(lambda: projections.status(id).state == "running")
    (worker,) = _workers()

    worker.send_signal(signal.SIGKILL)
    status = _until(lambda: (now := projections.status(id)).state == "failed" and now)

    assert "ended before it was done" in status.message
    assert projections.ask(PLACE, LONG)[1].state == "queued"


def state_of(job) -> str:
    status = job.status()
    assert status is not None
    return status.state


def test_what_was_running_when_the_machine_went_down_is_not_running(tmp_path):
    job = ProjectionFolder(tmp_path / "job")
    lock = job.claim()
    job.begin({})
    job.report(Status("running", 0.5))
    assert state_of(job) == "running"

    assert lock is not None
    os.close(lock)  # as the system does for a process that is no more

    assert state_of(job) == "failed"


def test_only_one_can_claim_a_job(tmp_path):
    job = ProjectionFolder(tmp_path / "job")

    first, second = job.claim(), ProjectionFolder(job.path).claim()
    assert first is not None
    assert second is None

    os.close(first)
    again = job.claim()
    assert again is not None
    os.close(again)


def test_slow_methods_wait_for_their_turn_and_pca_does_not(projections):
    asked = [ProjectionRequest("tsne", dimensions=2, iterations=number) for number in (9_000, 9_001, 9_002, 9_003)]
    slow = [projections.ask(PLACE, each)[0] for each in asked]
    quick, _ = projections.ask(PLACE, ProjectionRequest("pca"))

    assert _finished(projections, quick).state == "ready"
    _until(lambda: [projections.status(id).state for id in slow].count("running") == 2)
    assert [projections.status(id).state for id in slow].count("queued") == 2


def test_too_many_at_once_are_refused(projections, monkeypatch):
    monkeypatch.setattr(jobs, "_MOST_WAITING", 1)
    projections.ask(PLACE, LONG)

    with pytest.raises(Busy, match="try again"):
        projections.ask(PLACE, ProjectionRequest("pca"))


def test_a_missing_package_is_named(projections, monkeypatch):
    monkeypatch.setattr("mindinsight_like.projections.request.find_spec", lambda name: None)

    _, status = projections.ask(PLACE, LONG)

    assert status.state == "failed"
    assert "pip install 'mindinsight-like[projections]'" in status.message
    assert _workers() == []


def test_vectors_written_anew_are_projected_anew(projections, settings):
    id, _ = projections.ask(PLACE, ProjectionRequest("pca"))
    _finished(projections, id)

    with SummaryWriter(settings.summary_base_dir / "a") as writer:
        writer.add_embedding(np.eye(9, dtype=np.float32), tag="words", global_step=1)
    load_once(settings)
    other, _ = projections.ask(PLACE, ProjectionRequest("pca"))

    assert other != id
    assert _finished(projections, other).state == "ready"


def test_vectors_that_cannot_be_read_fail_with_the_reason(projections, settings):
    file = settings.summary_base_dir / "a/00001/words/tensors.tsv"
    file.write_text("1\t2\n3\tx\n4\t5\n")

    id, _ = projections.ask(PLACE, ProjectionRequest("pca"))

    status = _finished(projections, id)
    assert status.state == "failed"
    assert "cannot read the vectors: invalid vector file" in status.message


def test_old_projections_make_room_but_never_those_that_run(projections, settings):
    small = _projections(settings, most_bytes=1)
    old, _ = small.ask(PLACE, ProjectionRequest("pca"))
    _finished(small, old)
    _until(lambda: not ProjectionFolder(next(settings.workspace.rglob(old))).is_held)  # its process has ended
    going, _ = small.ask(PLACE, LONG)

    other, _ = small.ask(PLACE, ProjectionRequest("pca", metric="cosine"))

    assert small.status(old) is None
    assert small.status(going).state in ("queued", "running")
    assert _finished(small, other).state == "ready"


def test_room_is_made_by_what_was_not_used_for_the_longest_time(tmp_path):
    for age, name in enumerate(("new", "used", "old")):
        (tmp_path / name).write_bytes(bytes(100))
        os.utime(tmp_path / name, (1000 - age, 1000 - age))

    evict(tmp_path, 250, may_go=lambda path: path.name != "old")

    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "old"]


def test_ids_that_are_none_are_nothing(projections):
    for id in ("", "..", "../../x", "f" * 31, "F" * 32):
        assert projections.status(id) is None
        assert projections.points(id) is None


def test_web_workers_never_load_the_libraries():
    heavy = ("sklearn", "scipy", "umap", "openTSNE", "numba", "pyarrow")
    program = f"import sys, mindinsight_like.app.application; print([name for name in {heavy} if name in sys.modules])"

    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert answer.stdout.strip() == "[]"


def _flipped(path, at):
    content = bytearray(path.read_bytes())
    content[at] ^= 8
    path.write_bytes(bytes(content))


@pytest.mark.parametrize("name", ["points.npy", "result.json"])
@pytest.mark.parametrize("damage", ["flip", "zero", "cut", "empty"])
def test_a_damaged_projection_is_never_shown_and_computed_again(projections, name, damage):
    id, _ = projections.ask(PLACE, ProjectionRequest("pca"))
    done = _finished(projections, id)
    truth = projections.points(id)
    path = projections._job(id).path / name
    if damage == "flip":
        _flipped(path, path.stat().st_size // 2)
    else:
        size = path.stat().st_size
        path.write_bytes({"zero": bytes(size), "cut": path.read_bytes()[: size // 2], "empty": b""}[damage])

    if name == "points.npy":
        with pytest.raises(Rebuilding, match="computed again"):
            projections.points(id)
    assert projections.status(id).state in ("queued", "running", "ready")  # it has begun by itself

    again = _finished(projections, id)
    assert (again.state, again.explained) == ("ready", done.explained)
    assert projections.points(id) == truth


def test_damaged_vectors_are_read_again_from_the_log(projections, settings):
    embedding = find_embedding(projections._reader(), PLACE)
    truth = np.array(projections.matrices.vectors(embedding))
    (path,) = settings.workspace.rglob("embeddings/*.npy")
    content = path.read_bytes()
    for damaged in (content[:-1], b"", bytes(len(content)), content[:-5000] + b"x" + content[-4999:]):
        path.write_bytes(damaged)
        np.testing.assert_array_equal(projections.matrices.vectors(embedding), truth)
        assert path.read_bytes() == content
    _flipped(path, 100)
    np.testing.assert_array_equal(_projections(settings).matrices.vectors(embedding), truth)
