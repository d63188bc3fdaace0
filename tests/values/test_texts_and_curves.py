"""Texts, and curves of right and wrong answers."""

from __future__ import annotations

import numpy as np
import pytest

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.protobuf.wire import Malformed
from mindinsight_like.values import texts
from mindinsight_like.values.pr_curves import decode_pr, decode_roc
from mindinsight_like.values.records import BadValue, Record
from mindinsight_like.values.texts import Text
from mindinsight_like.writers.encoding import tensorboard, visualdl, wire

COUNTS = [[5, 3, 0], [4, 1, 0], [0, 3, 4], [0, 2, 5]]


def test_texts_of_each_dialect(tensorboard_record, visualdl_record):
    table = tensorboard.strings("t", [b"a", b"b", "ü".encode(), b"\xff"], shape=(2, 2), plugin="text")
    old = Record(Dialect.VISUALDL_LEGACY, wire.blob(1, wire.text(4, "損失")))

    assert texts.decode(tensorboard_record(tensorboard.text("t", "**x**"))) == [Text("**x**", (1,))]
    assert texts.decode(tensorboard_record(table)) == [Text(each, (2, 2)) for each in ("a", "b", "ü", "\ufffd")]
    assert texts.decode(visualdl_record(visualdl.text("y"))) == [Text("y")]
    assert texts.decode(visualdl_record(visualdl.text(""))) == [Text("")]
    assert texts.decode(old) == [Text("損失")]


@pytest.mark.parametrize(
    "written", [tensorboard.tensor("t", np.zeros(2), plugin="text"), b"", wire.text(1, "t"), b"\x42\x05"]
)
def test_what_is_no_text_is_refused(tensorboard_record, written):
    with pytest.raises((BadValue, Malformed)):
        texts.decode(tensorboard_record(written))


def test_pr_curves_of_each_dialect(tensorboard_record, visualdl_record):
    precision, recall = [5 / 9, 0.75, 0.0], [1.0, 0.6, 0.0]
    rows = np.array([*COUNTS, precision, recall])

    one = decode_pr(tensorboard_record(tensorboard.tensor("p", rows, plugin="pr_curves")))
    two = decode_pr(visualdl_record(visualdl.pr_curve(COUNTS, precision, recall)))

    for found in (one, two):
        assert found.thresholds.tolist() == [0, 0.5, 1]
        assert [column.tolist() for column in (found.tp, found.fp, found.tn, found.fn)] == COUNTS
        assert (found.precision.tolist(), found.recall.tolist()) == (precision, recall)


def test_the_rates_of_a_roc_curve_come_from_its_counts(visualdl_record):
    found = decode_roc(visualdl_record(visualdl.roc_curve(COUNTS, [9, 9, 9], [9, 9, 9])))

    assert found.tpr.tolist() == [1, 0.6, 0]
    assert found.fpr.tolist() == [1, 0.25, 0]


def test_rates_of_nothing_are_not_numbers(visualdl_record):
    found = decode_roc(visualdl_record(visualdl.roc_curve([[0], [1], [1], [0]], [0], [0])))

    assert np.isnan(found.tpr).tolist() == [True]


@pytest.mark.parametrize(
    "content",
    [visualdl.roc_curve([[1], [1, 2], [1], [1]], [], []), visualdl.roc_curve([[]] * 4, [], []), visualdl.text("x")],
)
def test_what_is_no_curve_is_refused(visualdl_record, content):
    with pytest.raises(BadValue):
        decode_roc(visualdl_record(content))


@pytest.mark.parametrize("array", [np.zeros((5, 3)), np.zeros(6), np.zeros((6, 0))])
def test_a_tensor_of_another_shape_is_no_curve(tensorboard_record, array):
    with pytest.raises(BadValue):
        decode_pr(tensorboard_record(tensorboard.tensor("p", array, plugin="pr_curves")))
