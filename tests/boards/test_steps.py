"""When things were logged, without what was logged."""

from __future__ import annotations

import numpy as np

from mindinsight_like.writers.encoding import tensorboard
from mindinsight_like.writers.encoding.images import png

START = 1_750_000_000.25
PICTURE = png(np.zeros((3, 4, 3), np.uint8))


def log_images(board, run, tag, steps):
    for step in steps:
        board.log_values(run, tensorboard.image(tag, PICTURE, width=4, height=3), step=step)


def test_every_step_of_every_run_and_tag(board):
    log_images(board, "a", "x", range(0, 40, 10))
    log_images(board, "b", "x", [5])
    log_images(board, "b", "y", [7])
    board.load()

    found = board.get("steps", kind="images", run=[board.id_of("a"), board.id_of("b")], tag=["x", "y"])["series"]

    assert [(each["run"], each["tag"], each["steps"]) for each in found] == [
        (board.id_of("a"), "x", [0, 10, 20, 30]),
        (board.id_of("b"), "x", [5]),
        (board.id_of("b"), "y", [7]),
    ]
    assert found[0]["wall_times"] == [START, START + 10, START + 20, START + 30]


def test_other_kinds_and_steps_are_left_out(board):
    log_images(board, "a", "x", range(10))
    board.load()
    a = board.id_of("a")

    assert board.get("steps", kind="audio", run=a, tag="x") == {"series": []}
    (within,) = board.get("steps", kind="images", run=a, tag="x", from_step=3, to_step=5)["series"]
    assert within["steps"] == [3, 4, 5]


def test_what_is_seen_at_a_step_is_the_last_item_up_to_it(board):
    log_images(board, "a", "x", [0, 10, 20])
    board.load()

    (series,) = board.get("images", run=board.id_of("a"), tag="x", to_step=15, max_steps=1)["series"]

    assert [item["step"] for item in series["items"]] == [10]


def test_scalars_and_unknown_kinds_are_refused(board):
    board.log("a", "loss", [1.0])
    board.load()

    for kind in ("scalars", "nonsense"):
        answer = board.client.get("/v1/steps", query_string={"kind": kind, "run": board.id_of("a"), "tag": "loss"})
        assert answer.status_code == 400
        assert answer.get_json()["error"]["details"]["parameter"] == "kind"
