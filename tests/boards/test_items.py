"""Images, histograms and the like over REST: all of them, and a bad one hurts nobody else."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from mindinsight_like import SummaryWriter
from mindinsight_like.app.application import create_app
from mindinsight_like.writers.encoding import tensorboard
from mindinsight_like.writers.encoding.images import png

START = 1_750_000_000.25
PICTURE = png(np.zeros((3, 4, 3), np.uint8))


def image(tag, file=PICTURE):
    return tensorboard.image(tag, file, width=4, height=3)


def items(board, route, **query):
    (series,) = board.get(route, run=board.id_of("a"), **query)["series"]
    return series["items"]


def test_every_step_is_listed(board):
    for step in range(300):
        board.log_values("a", image("i"), step=step)
    board.load()

    found = items(board, "images", tag="i")

    assert [item["step"] for item in found] == list(range(300))
    assert found[7].items() >= {"wall_time": START + 7, "index": 0, "width": 4, "height": 3}.items()
    assert len({item["url"] for item in found}) == 300
    assert "error" not in found[0]


@pytest.mark.parametrize(
    ("query", "steps"),
    [
        ({"max_steps": 1}, [19]),
        ({"max_steps": 2}, [0, 19]),
        ({"max_steps": 4}, [0, 6, 13, 19]),
        ({"max_steps": 20}, list(range(20))),
        ({"from_step": 5, "to_step": 7}, [5, 6, 7]),
    ],
)
def test_fewer_steps_when_asked_for(board, query, steps):
    histogram = tensorboard.histogram("h", [0.0, 1.0], [3], total=1.0, sum_squares=1.0)
    for step in range(20):
        board.log_values("a", histogram, step=step)
    board.load()

    (series,) = board.get("histograms", run=board.id_of("a"), tag="h", **query)["series"]

    assert [item["step"] for item in series["items"]] == steps
    assert series["total_steps"] == (20 if "max_steps" in query else 3)


def test_resumed_runs(board):
    for step in (0, 1, 2, 1, 2):
        board.log_values("a", tensorboard.strings("t", [b"x"], shape=(), plugin="text"), step=step)
    board.load()

    assert [item["step"] for item in items(board, "texts", tag="t")] == [0, 1, 2]
    assert [item["step"] for item in items(board, "texts", tag="t", resume="all")] == [0, 1, 2, 1, 2]


def test_series_come_in_the_order_asked_for_and_only_of_their_kind(board):
    board.log_values("a", image("x"), image("y"), tensorboard.scalar("z", 1.0))
    board.log_values("b", image("y"))
    board.load()
    runs = [board.id_of("b"), board.id_of("a")]

    answer = board.client.post("/v1/images", json={"run": runs, "tag": ["y", "x", "z"]}).get_json()

    assert [(series["run"], series["tag"]) for series in answer["series"]] == [
        (runs[0], "y"), (runs[1], "y"), (runs[1], "x"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("route", "bad", "good"),
    [
        ("images", image("v", b"<svg onload='alert(1)'/>"), image("v")),
        ("histograms", tensorboard.tensor("v", np.zeros((3, 2)), plugin="histograms"),
         tensorboard.tensor("v", np.zeros((3, 3)), plugin="histograms")),
        ("texts", tensorboard.tensor("v", np.zeros(2), plugin="text"),
         tensorboard.strings("v", [b"x"], shape=(), plugin="text")),
        ("tensors", tensorboard.strings("v", [b"x"], shape=(2,), plugin="other"),
         tensorboard.tensor("v", np.zeros(2), plugin="other")),
        ("pr-curves", tensorboard.tensor("v", np.zeros((2, 2)), plugin="pr_curves"),
         tensorboard.tensor("v", np.zeros((6, 2)), plugin="pr_curves")),
    ],
)  # fmt: skip
def test_a_bad_record_is_an_item_that_says_why(board, route, bad, good):
    for step, value in enumerate((good, bad, good)):
        board.log_values("a", value, step=step)
    board.load()

    one, two, three = items(board, route, tag="v")

    assert "error" not in one
    assert "error" not in three
    assert two["error"]
    assert two["step"] == 1
    assert all(two[name] is None for name in two if name not in ("step", "wall_time", "index", "error"))


def test_a_log_file_that_is_gone_leaves_items_that_say_so(board):
    path = board.log_values("a", image("i"))
    board.load()
    path.unlink()

    (item,) = items(board, "images", tag="i")

    assert "cannot be opened" in item["error"]
    assert (item["url"], item["width"]) == (None, None)


def test_addresses_lead_to_the_file_below_the_prefix_of_the_service(board):
    board.log_values("a", image("i"))
    board.load()
    client = create_app(dataclasses.replace(board.settings, url_path_prefix="/board")).test_client()

    answer = client.get("/board/v1/images", query_string={"run": board.id_of("a"), "tag": "i"}).get_json()
    url = answer["series"][0]["items"][0]["url"]

    assert url.startswith("/board/v1/blobs/")
    assert client.get(url).data == PICTURE


@pytest.mark.parametrize("query", ["tag=x", "run=a", "run=a&tag=x&max_steps=0", "run=a&tag=x&other=1"])
def test_wrong_questions_are_refused(board, query):
    board.log_values("a", image("i"))
    board.load()

    assert board.client.get(f"/v1/images?{query}").status_code == 400


def test_an_unknown_run_is_not_found(board):
    board.log_values("a", image("i"))
    board.load()

    answer = board.client.get("/v1/images?run=gone&tag=x")

    assert (answer.status_code, answer.get_json()["error"]["code"]) == (404, "run_not_found")


def test_before_anything_is_loaded(board):
    assert board.client.get("/v1/images?run=a&tag=x").status_code == 503


def test_texts_are_found_by_their_words(board):
    for step, said in enumerate(("Loss went down", "nothing", "LOSS again", "Größe 損失")):
        board.log_values("a", tensorboard.strings("t", [said.encode()], shape=(), plugin="text"), step=step)
    board.load()

    assert [item["step"] for item in items(board, "texts", tag="t", contains="loss")] == [0, 2]
    assert [item["step"] for item in items(board, "texts", tag="t", contains="損失")] == [3]
    assert [item["step"] for item in items(board, "texts", tag="t", contains="")] == [0, 1, 2, 3]


def test_the_beginnings_of_long_texts(board):
    board.log_values("a", tensorboard.strings("t", [b"ab" * 500_000], shape=(), plugin="text"))
    board.load()

    (item,) = items(board, "texts", tag="t", preview=3)

    assert (item["text"], item["length"]) == ("aba", 1_000_000)


def test_a_table_of_texts_tells_its_shape(board):
    cells = [b"a", b"b", b"c", b"d", b"e", b"f"]
    board.log_values("a", tensorboard.strings("t", cells, shape=(2, 3), plugin="text"))
    board.load()

    found = items(board, "texts", tag="t")

    assert [item["text"] for item in found] == ["a", "b", "c", "d", "e", "f"]
    assert [item["index"] for item in found] == list(range(6))
    assert all(item["shape"] == [2, 3] for item in found)


def test_every_layout_of_charts_is_there_although_all_are_of_step_0(board):
    with SummaryWriter(str(board.settings.summary_base_dir / "a")) as writer:
        writer.add_custom_scalars_multilinechart(["loss/.*"], category="losses", title="all")
        writer.add_custom_scalars_marginchart(["mean", "low", "high"], category="losses", title="band")
    board.load()

    (series,) = board.get("custom-scalars", run=board.id_of("a"))["series"]

    charts = [item["categories"][0]["charts"][0] for item in series["items"]]
    assert [chart["title"] for chart in charts] == ["all", "band"]
    assert charts[1]["margins"] == [{"value": "mean", "lower": "low", "upper": "high"}]
