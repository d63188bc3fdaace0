"""Values that nobody can show, over REST: each says why, and none hurts its neighbours or takes much."""

from __future__ import annotations

import resource
import time

import pytest

from tests.bad_values import SHOWN, VALUES, is_good, tag_of, write_bad_runs


@pytest.fixture
def bad(board):
    write_bad_runs(board.settings.summary_base_dir)
    board.load()
    return board


@pytest.mark.parametrize("route", VALUES)
def test_each_says_why_and_the_good_one_is_there(bad, route):
    tags = [tag_of(value) for value in VALUES[route]]

    answer = bad.get(route, run=bad.id_of("bad"), tag=tags)

    found = {series["tag"]: series["items"][0] for series in answer["series"]}
    assert set(found) == set(tags)
    for tag, item in found.items():
        if is_good(tag) or tag in SHOWN:
            assert "error" not in item, (tag, item)
        else:
            assert item["error"].endswith(".") is False
            assert len(item["error"]) < 200
            assert item.get("url") is None


def test_their_files_are_refused_or_served_as_they_are(bad):
    for route in ("images", "video", "audio", "tensors", "meshes"):
        tags = [tag_of(value) for value in VALUES[route]]
        for series in bad.get(route, run=bad.id_of("bad"), tag=tags)["series"]:
            url = series["items"][0]["url"]
            if url is not None:
                answer = bad.client.get(url)
                assert answer.status_code == 200, series["tag"]
                assert answer.content_type in ("image/png", "image/gif", "audio/wav", "application/octet-stream")
                assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_text_that_is_not_utf8_is_shown_as_far_as_it_goes(bad):
    (series,) = bad.get("texts", run=bad.id_of("bad"), tag="texts/not-utf8")["series"]

    assert series["items"][0]["text"].startswith("caf\ufffd")


def test_half_a_sound_is_as_long_as_it_is(bad):
    (half, whole) = bad.get("audio", run=bad.id_of("bad"), tag=["audio/truncated", "audio/good"])["series"]

    assert 0 < half["items"][0]["frames"] < whole["items"][0]["frames"] == 4000


def test_bombs_take_no_memory_and_no_time(bad):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.monotonic()

    for route, values in VALUES.items():
        bad.get(route, run=bad.id_of("bad"), tag=[tag_of(value) for value in values])

    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kilobytes
    assert time.monotonic() - began < 10


@pytest.mark.parametrize(
    ("run", "route", "tag"), [("vectors", "embeddings", "uneven"), ("landscape", "landscapes", "bad")]
)
def test_of_other_writers(bad, run, route, tag):
    (series,) = bad.get(route, run=bad.id_of(run), tag=tag)["series"]

    assert series["items"][0]["error"]
