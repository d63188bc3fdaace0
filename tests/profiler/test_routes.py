"""Every profile of the corpus answers every question, as the description of the interface says."""

from __future__ import annotations

import csv
import functools
import gzip
import io
import json
import re
import struct
from pathlib import Path

import pytest

import mindinsight_like as mi
from mindinsight_like.profiler.jobs.analysis_jobs import Opened
from mindinsight_like.writers.encoding import tensorboard
from tests.corpus import needs_mindinsight_data

from .served import Served

PARTS = (
    "", "operators?limit=5", "operators?by=name&limit=5", "operators?by=shape&limit=5",
    "operators?by=instance&limit=5&sort=-total", "operators?search=no+such+operator", "steps?limit=5", "tracks",
    "timeline/search?q=a&limit=3", "timeline/flows?limit=3", "counters?width=5", "flame?limit=9",
    "timeline/selection?from_ns=0&to_ns=1000000",
    "flame?by=device&limit=9", "advice", "pipeline", "memory", "idle", "critical-path",
)  # fmt: skip


@pytest.fixture(scope="module")
def served(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Served:
    """The corpus, all of its profiles analysed."""
    served = Served(corpus, tmp_path_factory.mktemp("profiles"))
    analyses = served.analyses()
    for profile in analyses.catalogue.all().values():
        opened = analyses.open_here(profile)
        assert isinstance(opened, Opened), (profile.source, opened)
    return served


@needs_mindinsight_data
def test_every_profile_answers_every_question(served: Served) -> None:
    described = functools.cache(served.validator)
    profiles = served.profiles()
    assert len(profiles) == 36
    assert {each["state"] for each in profiles} == {"ready"}
    described("profiles").validate({"profiles": profiles})
    for profile in profiles:
        base = f"profiles/{profile['id']}"
        for part in PARTS:
            answer = served.get(f"{base}/{part}".rstrip("/"))
            operation = "profiles/{id}/" + part.partition("?")[0]
            described(operation.rstrip("/")).validate(answer)
        whole = served.get(base)
        assert whole["steps"] == whole["totals"]["steps"] == len(served.get(f"{base}/steps")["steps"])
        slices = sum(track["slices"] for track in served.get(f"{base}/tracks")["tracks"])
        assert slices == whole["totals"]["slices"]
        if slices:
            window = served.client.get(f"/v1/{base}/timeline?width=800")
            assert window.content_type == "application/octet-stream"
            assert drawn(window.data) <= slices
            found = served.get(f"{base}/slices/{slices - 1}")
            described("profiles/{id}/slices/{row}").validate(found)
            assert found["name"] in served.get(f"{base}/texts")
            assert served.client.get(f"/v1/{base}/slices/{slices}").status_code == 404
        downloaded = json.loads(gzip.decompress(served.client.get(f"/v1/{base}/trace").data))
        events = downloaded["traceEvents"] if isinstance(downloaded, dict) else downloaded
        assert sum(event.get("ph") == "X" for event in events) == slices


def drawn(content: bytes) -> int:
    """How many boxes a window has; all of its columns must be there."""
    magic, version, _, _, groups = struct.unpack_from("<4sIqqI", content)
    assert (magic, version) == (b"MITL", 1)
    boxes = sum(struct.unpack_from("<III", content, 28 + 12 * group)[2] for group in range(groups))
    heads = 28 + 12 * groups
    assert len(content) >= heads + boxes * (8 + 8 + 4 + 4 + 4 + 1)
    return boxes


@needs_mindinsight_data
def test_the_raw_ascend_dump_and_its_tables_come_out_as_known(served: Served) -> None:
    (profile,) = served.profiles("ascend/raw/JOB3")
    base = f"profiles/{profile['id']}"

    types, names = served.get(f"{base}/operators"), served.get(f"{base}/operators", by="name", limit=1000)
    assert (types["total"], names["total"], sum(row["count"] for row in names["rows"])) == (29, 199, 2817)
    steps = served.get(f"{base}/steps")
    assert len(steps["steps"]) == 322
    assert round(steps["average"]["duration"], 4) == 205.3809
    for step in steps["steps"]:
        assert not step["parts"] or abs(sum(step["parts"].values()) - step["duration"]) < 1e-6
    assert sum(bool(step["parts"]) for step in steps["steps"]) > 1

    answer = served.client.get(f"/v1/{base}/operators?by=name&format=csv")
    assert answer.mimetype == "text/csv"
    rows = list(csv.reader(io.StringIO(answer.text)))
    assert len(rows) == 200
    assert rows[0][0] == "name"
    assert 'filename="ascend_raw_JOB3_operators_by_name.csv"' in answer.headers["Content-Disposition"]


def test_answers_are_not_sent_twice_and_bad_questions_are_refused(served: Served) -> None:
    (profile,) = served.profiles("torch-profiler/single")
    base = f"/v1/profiles/{profile['id']}"
    for part in ("", "/operators", "/timeline", "/texts", "/trace", "/tracks"):
        first = served.client.get(base + part)
        again = served.client.get(base + part, headers={"If-None-Match": first.headers["ETag"]})
        assert (first.status_code, again.status_code, again.data) == (200, 304, b"")
    etag = served.get(f"profiles/{profile['id']}/tracks")["names_etag"]
    assert "immutable" in served.client.get(f"{base}/texts?etag={etag}").headers["Cache-Control"]
    assert "immutable" not in served.client.get(f"{base}/texts?etag=other").headers["Cache-Control"]
    packed = served.client.get(f"{base}/timeline", headers={"Accept-Encoding": "gzip"})
    assert gzip.decompress(packed.data) == served.client.get(f"{base}/timeline").data

    for part in ("operators?by=x", "operators?sort=x", "timeline?tracks=a", "timeline?width=0", "flame?track=999"):
        refused = served.client.get(f"{base}/{part}")
        assert (refused.status_code, refused.get_json()["error"]["code"]) in (
            (400, "bad_parameter"),
            (404, "not_found"),
        )
    one, other = (each["id"] for each in served.profiles("torch-profiler/ddp_two_ranks"))
    both = served.get(f"profiles/{one}/flame", other=other)
    alone = served.get(f"profiles/{other}/flame")
    top = [node for node in both["nodes"] if node["parent"] == -1]
    assert abs(sum(node["other_total"] for node in top) - alone["total"]) < 1e-6 * alone["total"]
    for path in ("profiles/no", "profiles/no/steps", "profiles/no/trace", "profiles?run=no"):
        assert served.client.get(f"/v1/{path}").status_code == 404
    assert served.client.post("/v1/profiles/no/analyse", json={}).status_code == 404


def test_arguments_are_read_from_the_file(served: Served) -> None:
    (profile,) = served.profiles("torch-profiler/single")
    base = f"profiles/{profile['id']}"
    row = served.get(f"{base}/operators", by="instance", name="aten::_convolution", limit=1)["rows"][0]["row"]

    found = served.get(f"{base}/slices/{row}")

    assert found["name"] == "aten::_convolution"
    assert "External id" in found["arguments"]
    assert re.match(r"\[\[", str(found["arguments"]["Input Dims"]))


def with_a_profile(corpus: Path, tmp_path: Path) -> tuple[Served, Path, str]:
    """A service over one run with an analysed recording of torch, the folder of the run, the address of the profile."""
    (trace,) = (corpus / "torch-profiler/single").glob("*.pt.trace.json")
    run = tmp_path / "logs/run"
    run.mkdir(parents=True)
    (run / trace.name).write_bytes(trace.read_bytes())
    served = Served(tmp_path / "logs", tmp_path / "ws")
    (profile,) = served.profiles()
    assert isinstance(served.analyses().open_here(served.analyses().find(profile["id"])), Opened)
    return served, run, f"profiles/{profile['id']}"


def test_measures_of_the_machine_lie_on_the_time_of_the_profile(corpus: Path, tmp_path: Path) -> None:
    served, run, base = with_a_profile(corpus, tmp_path)
    assert served.get(f"{base}/counters", name="system/cpu/core0")["counters"] == []
    tracks = served.get(f"{base}/tracks")
    begin = (tracks["origin_ns"] + tracks["from_ns"]) / 1e9
    with (run / "events.out.tfevents.1.host").open("wb") as log:
        for number in range(-100, 1100):  # a tenth of a millisecond apart, before, in and after the profile
            point = tensorboard.double_scalar("system/cpu/core0", float(number % 50))
            event = tensorboard.event([point], step=number + 100, wall_time=begin + number * 1e-4)
            log.write(tensorboard.frame(event))
    served.load()

    assert {"name": "system/cpu/core0", "unit": "%", "source": "run"} in served.get(f"{base}/tracks")["counters"]
    (found,) = served.get(f"{base}/counters", name="system/cpu/core0", width=1000)["counters"]
    assert tracks["from_ns"] - 2e5 < found["time_ns"][0] <= tracks["from_ns"]
    assert tracks["to_ns"] <= found["time_ns"][-1] < tracks["to_ns"] + 2e5
    assert found["value"] == [float((number - 1) % 50) for number in range(len(found["value"]))]
    (thin,) = served.get(f"{base}/counters", name="system/cpu/core0", width=5)["counters"]
    assert thin["downsampled"]
    assert len(thin["time_ns"]) <= 14
    assert (min(thin["value"]), max(thin["value"])) == (0.0, 49.0)
    between = {"from_ns": found["time_ns"][3] + 10, "to_ns": found["time_ns"][4] - 10}
    (held,) = served.get(f"{base}/counters", name="system/cpu/core0", **between)["counters"]
    assert (held["time_ns"], held["value"]) == (found["time_ns"][3:5], found["value"][3:5])


@pytest.mark.parametrize(("seconds", "is_shown"), [(2.0, True), (500.0, False)])
def test_a_machine_that_is_seldom_measured_is_shown_beside_a_short_profile(
    corpus: Path, tmp_path: Path, seconds: float, is_shown: bool
) -> None:
    served, run, base = with_a_profile(corpus, tmp_path)
    tracks = served.get(f"{base}/tracks")
    begin = (tracks["origin_ns"] + tracks["from_ns"]) / 1e9
    with (run / "events.out.tfevents.1.host").open("wb") as log:
        for step, time in enumerate((begin - seconds, begin + seconds)):
            event = tensorboard.event([tensorboard.double_scalar("system/cpu", 7.0)], step=step, wall_time=time)
            log.write(tensorboard.frame(event))

    served.load()

    found = served.get(f"{base}/counters", name="system/cpu")["counters"]
    assert [each["value"] for each in found] == ([[7.0, 7.0]] if is_shown else [])
    assert ("system/cpu" in [each["name"] for each in served.get(f"{base}/tracks")["counters"]]) == is_shown


def test_what_is_left_of_a_cut_trace_is_a_whole_download(corpus: Path, tmp_path: Path) -> None:
    (trace,) = (corpus / "torch-profiler/single").glob("*.pt.trace.json")
    run = tmp_path / "logs/run"
    run.mkdir(parents=True)
    (run / trace.name).write_bytes(trace.read_bytes()[: trace.stat().st_size // 2])
    served = Served(tmp_path / "logs", tmp_path / "ws")
    (profile,) = served.profiles()
    base = f"profiles/{profile['id']}"
    assert isinstance(served.analyses().open_here(served.analyses().find(profile["id"])), Opened)

    downloaded = json.loads(gzip.decompress(served.client.get(f"/v1/{base}/trace").data))

    slices = sum(event["ph"] == "X" for event in downloaded["traceEvents"])
    assert slices == served.get(base)["totals"]["slices"] > 100


def test_profiles_are_tables_in_scripts(served: Served, corpus: Path) -> None:
    runs = mi.open(corpus, workspace=served.settings.workspace)

    table = runs.profiles("torch-profiler/ddp_two_ranks")
    assert table[["rank", "tool", "state", "steps"]].values.tolist() == [
        [0, "torch", "ready", 3],
        [1, "torch", "ready", 3],
    ]
    profile = runs.profile(table.id[0])
    names = profile.operators(by="name", side="host")
    assert (names.self > 0).any()
    assert abs(names.share.sum() - 1) < 1e-9
    steps = profile.steps()
    assert len(steps) == 3
    assert (steps.loc[:, "compute":].sum(axis=1) - steps.duration).abs().max() < 1e-6
