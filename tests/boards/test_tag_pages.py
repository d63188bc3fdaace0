"""Tags page by page: a run may have a million of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from mindinsight_like.app.application import create_app
from mindinsight_like.conf.settings import load
from mindinsight_like.loader.once import load_once
from mindinsight_like.writers.encoding import tensorboard

_LOG = "events.out.tfevents.1700000000.host.1.0"


def _records(tags: list[str], step: int = 1) -> bytes:
    return b"".join(
        tensorboard.frame(
            tensorboard.event(
                [tensorboard.scalar(tag, step / 2) for tag in tags[low : low + 500]], step=step, wall_time=1.7e9 + step
            )
        )
        for low in range(0, len(tags), 500)
    )


def _names(count: int) -> list[str]:
    return [f"layer {number % 7}/Weight {number:05}" for number in range(count)]


@pytest.fixture(params=["sqlite", "postgresql"])
def client(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[FlaskClient]:
    base_dir = tmp_path / "logs"
    for run, tags in {"many": _names(6000), "few": ["loss", "Größe", "layer 3/Weight 00010"]}.items():
        (base_dir / run).mkdir(parents=True)
        (base_dir / run / _LOG).write_bytes(_records(tags))
    # Files of one run that share tags and have some of their own.
    (base_dir / "parts").mkdir()
    for part in range(3):
        tags = _names(100)[part * 20 : part * 20 + 50]
        (base_dir / "parts" / f"events.out.tfevents.170000000{part}.host.1.0").write_bytes(_records(tags, part))
    given = {"summary_base_dir": str(base_dir), "workspace": str(tmp_path / "workspace")}
    if request.param == "postgresql":
        given["store_url"] = request.getfixturevalue("postgresql_url")
    settings = load(given, {})
    load_once(settings)
    yield create_app(settings).test_client()


def _run(client: FlaskClient, name: str) -> str:
    (found,) = [run["id"] for run in client.get("/v1/runs").get_json()["runs"] if run["name"] == name]
    return str(found)


def _all(client: FlaskClient, run: str, **parameters: Any) -> tuple[list[str], set[int]]:
    """The scalar tags on all pages, and the totals they told."""
    names: list[str] = []
    totals: set[int] = set()
    while True:
        after = {"after": names[-1]} if names else {}
        answer = client.get(f"/v1/runs/{run}/tags", query_string={**parameters, **after}).get_json()
        names += [tag["tag"] for tag in answer["scalars"]]
        if "more" not in answer:
            return names, totals
        assert answer["more"]["scalars"]["after"] == names[-1]
        totals.add(answer["more"]["scalars"]["total"])


def test_a_usual_run_answers_with_all_its_tags(client: FlaskClient) -> None:
    answer = client.get(f"/v1/runs/{_run(client, 'few')}/tags").get_json()

    assert [tag["tag"] for tag in answer["scalars"]] == sorted(["loss", "Größe", "layer 3/Weight 00010"])
    assert answer["images"] == []
    assert "more" not in answer


def test_pages_give_every_tag_once(client: FlaskClient) -> None:
    run = _run(client, "many")
    assert _all(client, run) == (sorted(_names(6000)), {6000})
    assert _all(client, run, kind="scalars", limit=777) == (sorted(_names(6000)), {6000})
    first = client.get(f"/v1/runs/{run}/tags?limit=3&kind=scalars").get_json()
    assert list(first) == ["scalars", "more"]
    assert first["scalars"][0] | {"sources": None} == first["scalars"][0] | {"sources": None, "count": 1, "min": 0.5}


def test_pages_of_several_files_give_every_tag_once(client: FlaskClient) -> None:
    run = _run(client, "parts")
    assert _all(client, run, limit=7) == (sorted(_names(90)), {90})


def test_tags_are_searched_by_words(client: FlaskClient) -> None:
    run = _run(client, "many")
    expected = sorted(name for name in _names(6000) if "layer 3" in name and "99" in name)
    assert _all(client, run, search="LAYER weight 99 3/", limit=10)[0] == expected
    few = _run(client, "few")
    assert _all(client, few, search="GRÖSSE") == ([], set())
    assert _all(client, few, search="gröss") == ([], set())
    assert _all(client, few, search="GRÖß") == (["Größe"], set())
    assert _all(client, few, search="100%") == ([], set())


def test_scalar_tags_of_several_runs_come_in_pages(client: FlaskClient) -> None:
    runs = [_run(client, name) for name in ("many", "few", "parts")]
    names: list[str] = []
    while True:
        body = {"run": runs, "limit": 999} | ({"after": names[-1]} if names else {})
        answer = client.post("/v1/scalars/tags", json=body).get_json()
        names += [tag["tag"] for tag in answer["tags"]]
        if "more" not in answer:
            break
        assert answer["more"]["total"] == 6002
    assert names == sorted({*_names(6000), "loss", "Größe"})
    (shared,) = client.post("/v1/scalars/tags", json={"run": runs, "search": "weight 00010"}).get_json()["tags"]
    assert sorted(shared["runs"]) == sorted(runs)


@pytest.mark.parametrize("query", ["kind=nonsense", "limit=0", "limit=many"])
def test_bad_parameters_are_told(client: FlaskClient, query: str) -> None:
    answer = client.get(f"/v1/runs/{_run(client, 'few')}/tags?{query}")
    assert answer.status_code == 400
    assert answer.get_json()["error"]["details"]["parameter"] == query.partition("=")[0]
