"""ETags and gzip: nothing is computed or sent that the client already has."""

from __future__ import annotations

import gzip

import pytest

PATHS = (
    "service",
    "changes?since=0",
    "runs",
    "runs?search=a&sort=-name",
    "runs/{run}",
    "runs/{run}/tags",
    "scalars?run={run}&tag=loss",
    "scalars?run={run}&tag=loss&format=csv",
    "scalars?run={run}&tag=loss&format=arrow",
    "scalars/tags?run={run}",
    *(
        f"{kind}?run={{run}}&tag=x"
        for kind in (
            "images", "video", "histograms", "texts", "audio", "tensors", "pr-curves", "roc-curves", "embeddings",
            "meshes", "landscapes",
        )
    ),
    "custom-scalars?run={run}",
    "steps?run={run}&tag=x",
    "openapi.json",
)  # fmt: skip


@pytest.fixture
def loaded(board):
    board.log("a", "loss", [float(step % 7) for step in range(900)])
    board.load()
    return board


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("encoding", ["identity", "gzip"])
def test_every_answer_is_sent_once(loaded, path, encoding):
    url, headers = "/v1/" + path.format(run=loaded.id_of("a")), {"Accept-Encoding": encoding}

    first = loaded.client.get(url, headers=headers)
    second = loaded.client.get(url, headers=headers | {"If-None-Match": first.headers["ETag"]})
    weakened = loaded.client.get(url, headers=headers | {"If-None-Match": "W/" + first.headers["ETag"]})
    head = loaded.client.head(url, headers=headers)

    assert first.status_code == 200
    assert not first.headers["ETag"].startswith("W/")
    assert "Accept-Encoding" in first.headers["Vary"]
    assert first.headers["Cache-Control"] == "private, no-cache"
    assert (second.status_code, second.data) == (304, b"")
    assert second.headers["ETag"] == first.headers["ETag"]
    assert weakened.status_code == 304
    assert (head.status_code, head.data, head.headers["ETag"]) == (200, b"", first.headers["ETag"])


@pytest.mark.parametrize("path", [path for path in PATHS if path not in ("service", "openapi.json")])
def test_new_data_changes_the_tag(loaded, path):
    url = "/v1/" + path.format(run=loaded.id_of("a"))
    before = loaded.client.get(url)

    loaded.log("a", "loss", [0.5], first_step=900)
    loaded.load()
    after = loaded.client.get(url, headers={"If-None-Match": before.headers["ETag"]})

    assert after.status_code == 200
    assert after.headers["ETag"] != before.headers["ETag"]


def test_new_data_of_one_run_leaves_the_answers_about_others_alone(loaded):
    loaded.log("b", "loss", [1.0])
    loaded.load()
    url = f"/v1/scalars?run={loaded.id_of('a')}&tag=loss"
    before = loaded.client.get(url)

    loaded.log("b", "loss", [0.5], first_step=1)
    loaded.load()

    assert loaded.client.get(url, headers={"If-None-Match": before.headers["ETag"]}).status_code == 304


def test_each_question_has_a_tag_of_its_own(loaded):
    run = loaded.id_of("a")
    urls = [
        f"/v1/scalars?run={run}&tag=loss{more}"
        for more in ("", "&max_points=10", "&smoothing=0.5", "&format=csv", "&format=arrow", "&from_step=3")
    ]

    tags = {
        loaded.client.get(url, headers={"Accept-Encoding": encoding}).headers["ETag"]
        for url in urls
        for encoding in ("identity", "gzip")
    }

    assert len(tags) == 2 * len(urls)


@pytest.mark.parametrize("path", ["scalars?run={run}&tag=loss", "scalars?run={run}&tag=loss&format=csv"])
def test_large_answers_are_gzipped_for_who_takes_it(loaded, path):
    url = "/v1/" + path.format(run=loaded.id_of("a"))

    plain = loaded.client.get(url, headers={"Accept-Encoding": "gzip;q=0"})
    zipped = loaded.client.get(url, headers={"Accept-Encoding": "br, gzip"})

    assert "Content-Encoding" not in plain.headers
    assert zipped.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(zipped.data) == plain.data
    assert len(zipped.data) < len(plain.data) / 2


def test_small_answers_are_not_worth_it(loaded):
    answer = loaded.client.get("/v1/changes", headers={"Accept-Encoding": "gzip"})

    assert "Content-Encoding" not in answer.headers
    assert "Accept-Encoding" in answer.headers["Vary"]


def test_a_posted_question_is_zipped_and_has_no_tag(loaded):
    body = {"run": loaded.id_of("a"), "tag": "loss"}

    answer = loaded.client.post("/v1/scalars", json=body, headers={"Accept-Encoding": "gzip"})

    assert answer.headers["Content-Encoding"] == "gzip"
    assert "ETag" not in answer.headers
