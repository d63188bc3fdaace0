"""Analyses are made in processes of their own, seen by all web workers, and survive whatever happens to those."""

from __future__ import annotations

import contextlib
import gzip
import os
import signal
import time
from functools import cache
from pathlib import Path

import psutil
import pytest
from distributed import LocalCluster

from mindinsight_like.profiler.jobs.analysis_folder import order_for
from mindinsight_like.profiler.jobs.analysis_jobs import Opened
from mindinsight_like.profiler.jobs.analysis_work import Work, work
from mindinsight_like.profiler.jobs.batches import run_all

from .served import Served

MANY = 400_000  # events of a trace that takes a while


@cache
def trace(events: int, name: str = "add") -> bytes:
    rows = (
        f'{{"ph":"X","cat":"cpu_op","name":"{name}{number % 7}","pid":1,"tid":1,"ts":{number * 10},"dur":9}}'
        for number in range(events)
    )
    return b'{"schemaVersion":1,"traceEvents":[' + ",".join(rows).encode() + b"]}"


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    folder.mkdir()
    return folder


def write(logs: Path, name: str, content: bytes) -> Path:
    path = logs / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def processes(word: str) -> list[psutil.Process]:
    """The running processes of analyses whose command line contains a word; tests before may have left others."""
    running = []
    for child in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):  # it has ended meanwhile
            if word in " ".join(child.cmdline()):
                running.append(child)
    return running


def counts(served: Served, id: str) -> int:
    return int(served.get(f"profiles/{id}/operators")["sides"][0]["count"])


def test_asking_starts_the_analysis_and_its_result_stays(logs: Path, tmp_path: Path) -> None:
    write(logs, "exp/a.pt.trace.json", trace(70))
    served = Served(logs, tmp_path / "ws")
    (profile,) = served.profiles()
    assert (profile["state"], profile["steps"], profile["tool"], profile["run_name"]) == ("new", None, "torch", "exp")

    first = served.client.get(f"/v1/profiles/{profile['id']}/operators")
    assert first.status_code == 202
    assert set(first.get_json()) == {"state", "progress", "message"}
    (done,) = served.until("ready")
    assert done["progress"] == 1.0
    assert counts(served, profile["id"]) == 70

    again = Served(logs, tmp_path / "ws")  # another web worker, or the service after a restart
    assert again.profiles() == [done]
    assert counts(again, profile["id"]) == 70

    # Other content is another analysis under the same id, and the old one goes.
    write(logs, "exp/a.pt.trace.json", trace(80))
    served.load()
    assert [each["state"] for each in served.profiles()] == ["new"]
    served.post(f"profiles/{profile['id']}/analyse")
    served.until("ready")
    assert counts(served, profile["id"]) == 80
    assert len(list((tmp_path / "ws").rglob("jobs/*"))) == 1


def test_all_ranks_of_a_session_are_analysed_at_once_and_a_broken_one_says_why(logs: Path, tmp_path: Path) -> None:
    for rank in range(5):
        write(logs, f"exp/host_rank{rank}.179479054166971321{rank}.pt.trace.json", trace(7 * (rank + 1)))
    write(logs, "exp/host_rank5.1794790541669713215.pt.trace.json.gz", gzip.compress(trace(7))[:15])
    write(logs, "exp/host_rank0.1894790541669713215.pt.trace.json", trace(7))
    served = Served(logs, tmp_path / "ws")
    run, session = served.profiles()[0]["run"], served.profiles()[0]["session"]

    started = served.post("profiles/analyse", run=run, session=session)["profiles"]
    assert [each["rank"] for each in started] == [0, 1, 2, 3, 4, 5]
    while any(each["state"] not in ("ready", "failed", "new") for each in served.profiles()):
        time.sleep(0.05)

    states = {(each["session"] == session, each["rank"]): each for each in served.profiles()}
    assert [states[True, rank]["state"] for rank in range(6)] == ["ready"] * 5 + ["failed"]
    assert states[True, 5]["message"].endswith(".pt.trace.json.gz contains no trace events")
    assert states[False, 0]["state"] == "new"
    assert [counts(served, states[True, rank]["id"]) for rank in range(5)] == [7, 14, 21, 28, 35]
    refused = served.client.get(f"/v1/profiles/{states[True, 5]['id']}")
    assert refused.status_code == 422
    assert refused.get_json()["error"]["message"] == states[True, 5]["message"]
    assert served.client.post("/v1/profiles/analyse", json={"run": run, "session": "other"}).status_code == 404


def test_a_killed_process_is_a_failure_that_can_be_tried_again(logs: Path, tmp_path: Path) -> None:
    write(logs, "exp/a.pt.trace.json", trace(MANY))
    served = Served(logs, tmp_path / "ws")
    id = served.profiles()[0]["id"]
    served.post(f"profiles/{id}/analyse")
    assert served.post(f"profiles/{id}/analyse")["state"] in ("queued", "analysing")  # not a second one
    (process,) = processes(str(tmp_path))

    process.send_signal(signal.SIGKILL)
    (failed,) = served.until("failed")
    assert "can be started again" in failed["message"]
    assert served.client.get(f"/v1/profiles/{id}/steps").status_code == 422  # reading alone does not try again

    served.post(f"profiles/{id}/analyse")
    served.until("ready")
    assert counts(served, id) == MANY


def test_the_ranks_beside_one_whose_process_is_killed_are_analysed(logs: Path, tmp_path: Path) -> None:
    for rank in range(2):
        content = trace(7 if rank else MANY)
        write(logs, f"exp/host_rank{rank}.1794790541669713210.pt.trace.json", content)
    served = Served(logs, tmp_path / "ws", profile_jobs=1)

    served.post("profiles/analyse", run=served.profiles()[0]["run"])
    killed: set[int] = set()
    while len(killed) < 2 and served.profiles()[0]["state"] != "ready":  # in the pool of all of them, and then alone
        for process in processes("spawn_main"):
            if served.profiles()[0]["state"] == "analysing":
                process.send_signal(signal.SIGKILL)
                process.wait(10)
                killed.add(process.pid)
        time.sleep(0.02)

    while any(each["state"] not in ("ready", "failed") for each in served.profiles()):
        time.sleep(0.05)
    assert [each["state"] for each in served.profiles()] == ["failed", "ready"]
    assert "was ended" in served.profiles()[0]["message"]


def test_an_analysis_that_was_cut_or_removed_is_made_again(logs: Path, tmp_path: Path) -> None:
    write(logs, "exp/a.pt.trace.json", trace(70))
    served = Served(logs, tmp_path / "ws")
    (profile,) = served.analyses().catalogue.all().values()
    assert isinstance(served.analyses().open_here(profile), Opened)
    (job,) = (tmp_path / "ws").rglob("jobs/*")
    for column in job.glob("result*/*"):
        column.write_bytes(column.read_bytes()[:-1])

    assert served.client.get(f"/v1/profiles/{profile.id}").status_code == 202
    served.until("ready")
    assert counts(served, profile.id) == 70

    # Damaged once more a moment later: the disk should be looked at, and people decide when to try again.
    again = Served(logs, tmp_path / "ws")
    for column in job.glob("result*/*"):
        column.write_bytes(b"")
    refused = again.client.get(f"/v1/profiles/{profile.id}")
    assert (refused.status_code, refused.get_json()["error"]["details"]) == (422, {"state": "failed"})
    assert "look at the disk" in refused.get_json()["error"]["message"]
    assert isinstance(again.analyses().open_here(profile), Opened)
    assert counts(again, profile.id) == 70


@pytest.mark.parametrize("way", ["in place", "renamed"])
def test_a_profile_replaced_by_another_of_the_same_size_and_time_is_analysed_anew(
    logs: Path, tmp_path: Path, way: str
) -> None:
    path = write(logs, "exp/a.pt.trace.json", trace(70, "add"))
    served = Served(logs, tmp_path / "ws")
    (profile,) = served.analyses().catalogue.all().values()
    assert isinstance(served.analyses().open_here(profile), Opened)
    status = path.stat()

    other = path if way == "in place" else path.with_name("other")
    other.write_bytes(trace(70, "mul"))
    os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
    other.replace(path)
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (status.st_size, status.st_mtime_ns)
    served.load()

    assert [each["state"] for each in served.profiles()] == ["new"]
    served.post(f"profiles/{profile.id}/analyse")
    served.until("ready")
    rows = served.get(f"profiles/{profile.id}/operators", by="name")["rows"]
    assert {row["name"][:3] for row in rows} == {"mul"}


def test_what_was_not_used_for_long_makes_room(logs: Path, tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        write(logs, f"{name}/t.pt.trace.json", trace(20_000))
    served = Served(logs, tmp_path / "ws", profile_cache_mb=2)  # less than the three take
    analyses = served.analyses()
    for number, profile in enumerate(analyses.catalogue.all().values()):
        assert isinstance(analyses.open_here(profile), Opened)
        os.utime(analyses.job(profile).path, (number, number))

    analyses.evict()

    states = [each["state"] for each in served.profiles()]
    assert states[0] == "new"
    assert states[-1] == "ready"


def test_a_dask_cluster_analyses_the_ranks_of_a_session(logs: Path, tmp_path: Path) -> None:
    for rank in range(4):
        write(logs, f"exp/host_rank{rank}.{rank}.pt.trace.json", trace(7 * (rank + 1)))
    here = {"host": "127.0.0.1", "protocol": "tcp", "processes": False, "dashboard_address": None}
    with LocalCluster(n_workers=1, threads_per_worker=2, **here) as cluster:
        served = Served(logs, tmp_path / "ws", dask_scheduler=cluster.scheduler_address)
        first = served.profiles()[0]
        served.post("profiles/analyse", run=first["run"], session=first["session"])

        done = served.until("ready")

    assert sorted(counts(served, each["id"]) for each in done) == [7, 14, 21, 28]


def test_a_dask_scheduler_that_is_away_is_named(logs: Path, tmp_path: Path) -> None:
    write(logs, "exp/a.pt.trace.json", trace(7))
    served = Served(logs, tmp_path / "ws", dask_scheduler="tcp://127.0.0.1:1")
    served.post(f"profiles/{served.profiles()[0]['id']}/analyse")

    (failed,) = served.until("failed")
    assert "no Dask scheduler at tcp://127.0.0.1:1" in failed["message"]


def test_a_dask_worker_that_does_not_see_the_folders_says_what_must_be_shared(logs: Path, tmp_path: Path) -> None:
    write(logs, "exp/a.pt.trace.json", trace(7))
    analyses = Served(logs, tmp_path / "ws").analyses()
    (profile,) = analyses.catalogue.all().values()
    job = analyses.job(profile)
    lock = job.claim()
    assert lock is not None
    job.begin(order_for(profile.source, "batch"))
    here = {"host": "127.0.0.1", "protocol": "tcp", "processes": False, "dashboard_address": None}
    with LocalCluster(n_workers=1, threads_per_worker=1, **here) as cluster:
        elsewhere = str(tmp_path / "on another machine")
        run_all({Work(str(job.path), elsewhere, 0): (job, lock)}, processes=1, scheduler=cluster.scheduler_address)

    status = job.status()
    assert status is not None and status.state == "failed"
    assert f"does not see {elsewhere}: share the base dir" in status.message
    assert "with all Dask workers, under the same paths" in status.message
    assert "does not see /nowhere/jobs/x:" in str(work(Work("/nowhere/jobs/x", str(logs), 0)))
