"""What SummaryWriter cannot record is refused at the call, with what was expected, and the file stays whole."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindinsight_like import SummaryWriter

from .tensorboard_events import recorded

ONE = np.zeros((1, 4, 3))

REFUSED: dict[str, tuple[Callable[[SummaryWriter], None], type[Exception], str]] = {
    "number tag": (lambda writer: writer.add_scalar(3, 1.0), TypeError, "a tag must be a str, not int"),  # type: ignore[arg-type]
    "empty tag": (lambda writer: writer.add_scalar("", 1.0), ValueError, "must not be empty"),
    "lone surrogate": (lambda writer: writer.add_text("\ud800", "x"), ValueError, "lone surrogate"),
    "half a text": (lambda writer: writer.add_text("x", "a\ud800"), ValueError, "lone surrogate at position 1"),
    "text for a scalar": (lambda writer: writer.add_scalar("x", "0.5"), TypeError, "not str '0.5'"),
    "several for a scalar": (lambda writer: writer.add_scalar("x", [1, 2]), ValueError, r"shape \(2,\)"),
    "none for a scalar": (lambda writer: writer.add_scalar("x", None), TypeError, "not NoneType"),
    "huge step": (lambda writer: writer.add_scalar("x", 1.0, 1 << 63), ValueError, "64 bits"),
    "text for a step": (lambda writer: writer.add_scalar("x", 1.0, "one"), ValueError, "one"),  # type: ignore[arg-type]
    "scalars in a list": (lambda writer: writer.add_scalars("x", [1, 2]), TypeError, "must be a dict of numbers"),  # type: ignore[arg-type]
    "one bad of several": (lambda writer: writer.add_scalars("x", {"a": 1, "b": "c"}), TypeError, "not str 'c'"),
    "empty histogram": (lambda writer: writer.add_histogram("x", []), ValueError, "at least one value"),
    "unknown bins": (lambda writer: writer.add_histogram("x", [1.0], bins="mine"), ValueError, "mine"),
    "limits": (
        lambda writer: writer.add_histogram_raw("x", 0, 1, 1, 1, 1, [0, 1], [1]),
        ValueError,
        "2 limits for 1 counts",
    ),
    "channels": (lambda writer: writer.add_image("x", np.zeros((32, 32, 3))), ValueError, "32 channels"),
    "dimensions": (lambda writer: writer.add_image("x", np.zeros((32, 32))), ValueError, "3 dimensions"),
    "a text as picture": (lambda writer: writer.add_image("x", "cat.png"), TypeError, "not str 'cat.png'"),
    "pictures of two sizes": (
        lambda writer: writer.add_images("x", [np.zeros((3, 4, 4)), np.zeros((3, 5, 5))], dataformats="CHW"),
        ValueError,
        "differ in length",
    ),
    "boxes": (
        lambda writer: writer.add_image_with_boxes("x", np.zeros((3, 9, 9)), [[1, 2, 3]]),
        ValueError,
        "boxes are",
    ),
    "figure": (lambda writer: writer.add_figure("x", "figure"), (TypeError, ImportError), "figure|matplotlib"),  # type: ignore[dict-item]
    "video": (lambda writer: writer.add_video("x", np.zeros((2, 3, 4, 4))), ValueError, "5 dimensions"),
    "no speed": (lambda writer: writer.add_video("x", np.zeros((1, 2, 3, 4, 4)), fps=0), ValueError, "more than 0"),
    "sound": (lambda writer: writer.add_audio("x", np.zeros((5, 5))), ValueError, "frames"),
    "no text": (lambda writer: writer.add_text("x", 5), TypeError, "must be a str, not int"),  # type: ignore[arg-type]
    "flat mesh": (lambda writer: writer.add_mesh("x", np.zeros((4, 3))), ValueError, "put it into a list"),
    "flat faces": (lambda writer: writer.add_mesh("x", ONE, faces=np.zeros((4, 2))), ValueError, "face data"),
    "curve": (lambda writer: writer.add_pr_curve("x", [1, 0], [0.5]), ValueError, "must have the same length"),
    "uneven curve": (
        lambda writer: writer.add_pr_curve_raw("x", [1], [1], [1], [1], [1], [1, 2]),
        ValueError,
        "must have the same length",
    ),
    "vector": (lambda writer: writer.add_embedding(np.zeros(4)), ValueError, "a row for each point"),
    "labels": (lambda writer: writer.add_embedding(np.zeros((4, 2)), ["a"]), ValueError, "1 labels for 4 points"),
    "label columns": (
        lambda writer: writer.add_embedding(np.zeros((1, 2)), [["a"]], metadata_header=["x", "y"]),
        ValueError,
        "2 columns",
    ),
    "label images": (
        lambda writer: writer.add_embedding(np.zeros((4, 2)), label_img=np.zeros((3, 3, 8, 8))),
        ValueError,
        r"\(4, channels",
    ),
    "hyper-parameters": (lambda writer: writer.add_hparams([], {}), TypeError, "dictionaries"),  # type: ignore[arg-type]
    "choices": (lambda writer: writer.add_hparams({"lr": 1}, {}, {"lr": ["a"]}), TypeError, "hparam_domain_discrete"),
    "chart": (lambda writer: writer.add_custom_scalars({"c": {"t": ["Bar", ["a"]]}}), ValueError, "Multiline"),
    "margin": (lambda writer: writer.add_custom_scalars_marginchart(["a", "b"]), ValueError, "needs 3 tags"),
    "strings": (lambda writer: writer.add_tensor("x", np.array(["a"])), TypeError, "expected numbers"),
}


@pytest.mark.parametrize(("call", "error", "reason"), REFUSED.values(), ids=REFUSED)
def test_bad_arguments_are_refused_and_the_file_stays_whole(
    tmp_path: Path, call: Callable[[SummaryWriter], None], error: type[Exception], reason: str
) -> None:
    with SummaryWriter(tmp_path) as writer:
        writer.add_scalar("before", 1.0)
        with pytest.raises(error, match=reason):
            call(writer)
        writer.add_scalar("after", 2.0)

    assert [value.tag for value in recorded(tmp_path)] == ["before", "after"]


@pytest.mark.parametrize(
    "call",
    [
        lambda writer, value: writer.add_image("x", value, 0, 1),
        lambda writer, value: writer.add_image(tag="x", img_tensor=value, global_step=0, walltime=1),
    ],
)
def test_pictures_take_step_and_time_in_the_old_order(
    tmp_path: Path, call: Callable[[SummaryWriter, Any], None]
) -> None:
    with SummaryWriter(tmp_path) as writer:
        call(writer, np.zeros((3, 2, 2)))

    [value] = recorded(tmp_path)
    assert (value.step, value.wall_time) == (0, 1)
