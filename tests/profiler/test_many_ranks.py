"""Many ranks, and two profiles, through the REST interface."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

import mindinsight_like as mi
from mindinsight_like.demo.two_ranks import write_two_ranks
from mindinsight_like.logs.framing import frame
from mindinsight_like.profiler.analysis.advice_words import sentence
from mindinsight_like.profiler.traces import own_format as form
from mindinsight_like.profiler.traces.trace import Activity, Place
from mindinsight_like.store.database.location import run_id

from .served import Served

RANKS, STEPS, STEP_NS, SLOW = 64, 5, 1_000_000, 41


def write_rank(folder: Path, rank: int) -> None:
    """A rank that computes and then meets the others; one of them computes longer, all have their own clocks."""
    computes = 400_000 if rank == SLOW else 300_000 + rank
    begins = [step * STEP_NS for step in range(STEPS)]
    meets = [begin + computes for begin in begins]
    blocks = [
        form.header(origin=1_700_000_000_000_000_000 + rank * 10**7, clock=0, rank=rank, ranks=RANKS),
        form.definitions(
            {
                "tracks": (0, [["main", "python", int(Place.HOST), 0, -1], ["stream", "GPU", int(Place.DEVICE), 1, 0]]),
                "operators": (
                    0,
                    [
                        ["matmul", "MatMul", int(Activity.KERNEL), ""],
                        ["AllReduce", "AllReduce", int(Activity.COMMUNICATION), ""],
                    ],
                ),
            }
        ),
        form.slices(1, begins, meets, [0] * STEPS),
        form.slices(1, meets, [begin + 900_000 for begin in begins], [1] * STEPS),
        form.steps([(step, begin, begin + STEP_NS, -1, -1) for step, begin in enumerate(begins)]),
        form.done(),
    ]  # fmt: skip
    (folder / f"node.rank{rank}.1700000000000{form.ENDING}").write_bytes(b"".join(map(frame, blocks)))


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Served:
    base = tmp_path_factory.mktemp("ranks") / "runs"
    (base / "large").mkdir(parents=True)
    for rank in range(RANKS):
        write_rank(base / "large", rank)
    write_two_ranks(base / "two", seed=1, started=1_700_000_000.0)
    for name, batch in (("fast", 32), ("slow", 256)):
        with mi.SummaryWriter(str(base / name)) as writer:
            writer.add_hparams({"batch_size": batch}, {"loss": 1.0})
    return Served(base, tmp_path_factory.mktemp("workspace"))


def validated(served: Served, path: str, operation: str, **query: Any) -> Any:
    end = time.monotonic() + 60
    while served.client.get(f"/v1/{path}", query_string=query).status_code == 202 and time.monotonic() < end:
        time.sleep(0.05)
    answer = served.get(path, **query)
    served.validator(operation).validate(answer)
    return answer


def test_64_ranks_are_analysed_in_parallel_and_the_slow_one_is_found(served: Served) -> None:
    run = run_id("large")
    started = served.post("profiles/analyse", run=run)["profiles"]
    assert len(started) == RANKS
    waiting = served.client.get(f"/v1/clusters/{run}")
    assert waiting.status_code in (200, 202)
    served.until("ready", "large", seconds=120)

    found = validated(served, f"clusters/{run}", "clusters/{run}", measure="compute")

    assert found["measure"] == "compute"
    assert [each["rank"] for each in found["ranks"]] == list(range(RANKS))
    (straggler,) = found["stragglers"]
    assert (straggler["at"], straggler["votes"]) == (SLOW, STEPS)
    assert [(each["name"], each["time"]) for each in straggler["causes"]] == [("compute", 0.4), ("matmul", 0.4)]
    communication, advice = found["advice"]
    assert communication["rule"] == "ranks_communication"
    assert (advice["rule"], advice["severity"], advice["place"]) == ("late_rank", "medium", "cluster")
    numbers = advice["numbers"]
    assert (numbers["rank"], numbers["ranks"], numbers["operator"]) == (SLOW, RANKS, "matmul")
    assert (numbers["late"], numbers["share"]) == (pytest.approx(0.1), pytest.approx(0.1))
    assert sentence(advice).startswith(f"Rank {SLOW} of {RANKS} is a straggler: late in 100.0 % of the steps")
    assert found["collectives"] == STEPS
    assert len(found["steps"]["times"]) == RANKS
    assert found["steps"]["times"][SLOW] == [0.4] * STEPS
    (first, *_) = served.profiles("large")
    assert served.get(f"profiles/{first['id']}")["has"]["cluster"]
    assert served.client.get(f"/v1/clusters/{run_id('fast')}").status_code == 404
    assert served.client.get(f"/v1/clusters/{run}?session=other").status_code == 404
    assert served.client.get(f"/v1/clusters/{run}?measure=nothing").status_code == 400


def test_waits_of_the_made_up_ranks_and_their_difference(served: Served) -> None:
    run = run_id("two")
    served.post("profiles/analyse", run=run)
    served.until("ready", "two")
    one, other = (each["id"] for each in served.profiles("two"))
    idle = validated(served, f"profiles/{one}/idle", "profiles/{id}/idle")
    (device,) = idle["devices"]
    assert device["by_cause"]["host_late"] > 0
    assert idle["host"][0]["name"] == "wait for a batch"

    path = validated(served, f"profiles/{one}/critical-path", "profiles/{id}/critical-path", step=3)
    assert sum(path["kinds"].values()) == pytest.approx(path["total"])
    assert path["kinds"]["compute"] > path["total"] / 3
    assert served.client.get(f"/v1/profiles/{one}/critical-path?step=99").status_code == 404

    found = validated(served, "profiles/compare", "profiles/compare", a=one, b=other)
    assert found["per"] == "step"
    matmul = next(each for each in found["operators"] if each["name"] == "MatMul_kernel")
    assert matmul["state"] == "slower"
    assert matmul["b"] / matmul["a"] == pytest.approx(1.35, rel=0.02)
    assert found["lineage"] == []
    assert served.client.get(f"/v1/profiles/compare?a={one}&b=other").status_code == 404


def compared(served: Served, run: str, **query: Any) -> Any:
    return validated(served, f"clusters/{run_id(run)}", "clusters/{run}", **query)


def results(served: Served) -> set[str]:
    """Names of the kept comparisons and of their files."""
    return {str(path) for path in served.settings.workspace.rglob("jobs/cluster*/result-*")}


def test_a_comparison_is_kept_until_a_rank_changes(tmp_path: Path) -> None:
    folder = tmp_path / "runs" / "few"
    folder.mkdir(parents=True)
    for rank in range(3):
        write_rank(folder, rank)
    served = Served(tmp_path / "runs", tmp_path / "ws")
    first = compared(served, "few")
    kept = results(served)
    assert len(kept) == 1

    for path in served.settings.workspace.rglob("jobs/*/result-*/columns.bin"):
        path.unlink()  # neither columns nor digests are looked at again
    for path in served.settings.workspace.rglob("ranks/*"):
        path.unlink()
    for path in served.settings.workspace.rglob("jobs/*/result.json"):
        os.utime(path, (1, 1))  # not made a moment ago
    assert compared(served, "few") == first
    assert compared(served, "few", measure="compute")["steps"]["times"][0] == pytest.approx([0.3] * STEPS)
    assert results(served) == kept
    tag = served.client.get(f"/v1/clusters/{run_id('few')}").headers["ETag"]
    again = served.client.get(f"/v1/clusters/{run_id('few')}", headers={"If-None-Match": tag})
    assert again.status_code == 304

    write_rank(folder, SLOW)
    served.load()
    assert [each["rank"] for each in compared(served, "few")["ranks"]] == [0, 1, 2, SLOW]
    assert len(results(served)) == 1 and results(served) != kept


def test_a_rank_that_cannot_be_read_is_named_and_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "runs" / "few"
    folder.mkdir(parents=True)
    for rank in range(3):
        write_rank(folder, rank)
    (damaged,) = folder.glob("node.rank1.*")
    damaged.write_bytes(b"nothing of the kind")
    served = Served(tmp_path / "runs", tmp_path / "ws")

    found = compared(served, "few")

    assert [each["rank"] for each in found["ranks"]] == [0, 2]
    (missing,) = found["missing"]
    assert missing["rank"] == 1 and missing["message"]


def test_digests_that_made_room_are_made_again(tmp_path: Path) -> None:
    folder = tmp_path / "runs" / "few"
    folder.mkdir(parents=True)
    for rank in range(2):
        write_rank(folder, rank)
    served = Served(tmp_path / "runs", tmp_path / "ws")
    first = compared(served, "few")
    for path in [*served.settings.workspace.rglob("jobs/cluster*"), *served.settings.workspace.rglob("ranks/*")]:
        shutil.rmtree(path) if path.is_dir() else path.write_bytes(b"cut")

    assert compared(served, "few") == first
