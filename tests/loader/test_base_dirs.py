"""Several base directories under one service: names, ids, reading, notes, and nothing outside of them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindinsight_like as mi
from mindinsight_like import SummaryWriter
from mindinsight_like.app.application import create_app
from mindinsight_like.conf.settings import Settings, load
from mindinsight_like.loader.once import load_once
from mindinsight_like.loader.rounds import Loader
from mindinsight_like.logs.base_dirs import BaseDirs, project_of
from mindinsight_like.profiler.collector.endpoint.places import NoPlace, base_of, folder_of
from mindinsight_like.profiler.traces.files import Files, Unreadable
from mindinsight_like.store.annotations import Annotations
from mindinsight_like.store.database.location import IndexLocation, run_id


@pytest.fixture
def dirs(tmp_path: Path) -> Path:
    """Two base directories with a run of the same name in each, and one run in a third place."""
    for base, value in (("first", 1.0), ("second", 2.0), ("outside", 3.0)):
        with SummaryWriter(tmp_path / base / "lenet/a") as writer:
            writer.add_scalar("loss", value, 1)
            writer.add_image("digit", np.full((3, 4, 4), value / 4), 1)
    return tmp_path


def settings_of(dirs: Path, *given: str) -> Settings:
    flags = {"summary_base_dir": list(given), "workspace": str(dirs / "workspace")}
    return load(flags, {})


def get(settings: Settings, path: str) -> Any:
    answer = create_app(settings).test_client().get(f"/v1/{path}")
    assert answer.status_code == 200, answer.text
    return answer.get_json()


def test_each_directory_is_a_project_and_ids_of_the_first_stay(dirs: Path) -> None:
    alone = settings_of(dirs, str(dirs / "first"))
    load_once(alone)
    (single,) = get(alone, "runs")["runs"]
    both = settings_of(dirs, str(dirs / "first"), f"vision={dirs / 'second'}")
    load_once(both)

    runs = {run["name"]: run for run in get(both, "runs")["runs"]}

    assert (single["name"], single["project"]) == ("lenet/a", "")
    assert {name: run["project"] for name, run in runs.items()} == {"lenet/a": "first", "/vision/lenet/a": "vision"}
    assert runs["lenet/a"]["id"] == single["id"]
    assert runs["/vision/lenet/a"]["id"] == run_id("/vision/lenet/a") != single["id"]
    assert get(both, "runs?search=vision")["total"] == 1
    assert get(both, "service")["projects"] == [
        {"name": "first", "base_dir": str(dirs / "first")},
        {"name": "vision", "base_dir": str(dirs / "second")},
    ]
    assert get(alone, "service")["projects"] == []


def test_data_is_read_from_the_directory_that_it_lies_in(dirs: Path) -> None:
    settings = settings_of(dirs, f"a={dirs / 'first'}", f"b={dirs / 'second'}")
    load_once(settings)
    client = create_app(settings).test_client()

    images = {}
    for run in client.get("/v1/runs").get_json()["runs"]:
        (curve,) = client.get(f"/v1/scalars?run={run['id']}&tag=loss").get_json()["series"]
        ((image,),) = (
            each["items"] for each in client.get(f"/v1/images?run={run['id']}&tag=digit").get_json()["series"]
        )
        assert curve["values"] == [1.0 if run["project"] == "a" else 2.0]
        images[run["project"]] = client.get(image["url"]).data

    assert images.keys() == {"a", "b"}
    assert images["a"] != images["b"]
    assert all(data.startswith(b"\x89PNG") for data in images.values())


def test_notes_of_the_first_stay_when_others_come_and_go(dirs: Path) -> None:
    alone = settings_of(dirs, str(dirs / "first"))
    both = settings_of(dirs, str(dirs / "first"), f"vision={dirs / 'second'}")
    Annotations(IndexLocation.of_settings(alone)).annotate(run_id("lenet/a"), note="keep")

    Annotations(IndexLocation.of_settings(both)).annotate(run_id("/vision/lenet/a"), note="this, too")

    assert {each.note for each in Annotations(IndexLocation.of_settings(alone)).of_runs().values()} == {
        "keep",
        "this, too",
    }
    assert IndexLocation.of_settings(alone).folder != IndexLocation.of_settings(both).folder


def test_links_lead_nowhere_else_from_any_of_them(dirs: Path) -> None:
    (dirs / "second" / "linked").mkdir()
    (log,) = (dirs / "outside/lenet/a").glob("events.*")
    (first_log,) = (dirs / "first/lenet/a").glob("events.*")
    (dirs / "second/linked" / log.name).symlink_to(log)
    (dirs / "second/linked" / f"{first_log.name}.first").symlink_to(first_log)
    settings = settings_of(dirs, str(dirs / "first"), f"vision={dirs / 'second'}")
    load_once(settings)

    assert {run["name"] for run in get(settings, "runs")["runs"]} == {"lenet/a", "/vision/lenet/a"}


def test_growing_and_removed_runs_are_followed_and_a_missing_directory_keeps_its_runs(dirs: Path) -> None:
    settings = settings_of(dirs, str(dirs / "first"), f"vision={dirs / 'second'}")
    loader = Loader(IndexLocation.of_settings(settings), most_watches=100)

    def names() -> set[str]:
        while loader.load_slice():
            pass
        return {run["name"] for run in get(settings, "runs")["runs"]}

    try:
        loader.look_everywhere()
        assert names() == {"lenet/a", "/vision/lenet/a"}
        with SummaryWriter(dirs / "second") as writer:  # the directory itself
            writer.add_scalar("loss", 1.0, 1)
        loader.look()
        assert names() == {"lenet/a", "/vision/lenet/a", "/vision"}

        (dirs / "second").rename(dirs / "unmounted")
        loader.look()
        loader.look_everywhere()
        assert names() == {"lenet/a", "/vision/lenet/a", "/vision"}

        (dirs / "unmounted").rename(dirs / "second")
        shutil.rmtree(dirs / "second/lenet")
        loader.look_everywhere()
        assert names() == {"lenet/a", "/vision"}
    finally:
        loader.close()


def test_python_opens_the_same_runs(dirs: Path) -> None:
    runs = mi.open(dirs / "first", others={"vision": dirs / "second"}, workspace=dirs / "workspace")

    assert runs.names == ["/vision/lenet/a", "lenet/a"]
    assert runs["/vision/lenet/a"].scalars(tag="loss")["value"].tolist() == [2.0]
    with pytest.raises(FileNotFoundError):
        mi.open(dirs / "first", others={"none": dirs / "none"})


def test_files_of_profiles_are_opened_where_they_lie(dirs: Path) -> None:
    (dirs / "second/trace.json").write_text("{}")
    files = Files(BaseDirs(str(dirs / "first"), (("vision", str(dirs / "second")),)).to_text())

    assert files.read("/vision/trace.json") == b"{}"
    with pytest.raises(OSError, match="No such file"):
        files.read("trace.json")
    with pytest.raises(Unreadable):
        files.read("/vision/../outside/lenet")


def test_collectors_write_into_the_first_or_the_one_they_name(dirs: Path) -> None:
    both = BaseDirs(str(dirs / "first"), (("vision", str(dirs / "second")),))

    assert base_of(both, "lenet/b") == (dirs / "first", "lenet/b")
    assert base_of(both, "/vision/lenet/b") == (dirs / "second", "lenet/b")
    assert base_of(both, "/vision") == (dirs / "second", ".")
    assert base_of(both, "/etc") == (dirs / "first", "/etc")
    with pytest.raises(NoPlace):
        (dirs / "second/out").symlink_to(dirs / "outside")
        folder_of(*base_of(both, "/vision/out/b"))


def test_one_text_carries_all_directories() -> None:
    several = BaseDirs("/a,b=c", (("vision", "/x"), ("audio", "/y,z")))

    assert BaseDirs.from_text(several.to_text()) == several
    assert BaseDirs("/a").to_text() == "/a"
    assert BaseDirs.from_text("/a") == BaseDirs("/a")
    assert several.path_of("lenet/events.1") == "/a,b=c/lenet/events.1"
    assert several.path_of("/vision/lenet/events.1") == "/x/lenet/events.1"
    assert [project_of(name) for name in ("lenet", ".", "/vision", "/vision/a")] == ["", "", "vision", "vision"]
    with pytest.raises(FileNotFoundError):
        several.path_of("/other/lenet")
