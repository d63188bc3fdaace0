"""Errors: one shape, whoever raises them."""

from __future__ import annotations

import logging
from typing import cast

import pytest

from mindinsight_like.app.application import create_app
from mindinsight_like.conf.settings import Settings
from mindinsight_like.store.reader import IndexReader


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("get", "/v1/nothing", 404, "not_found"),
        ("post", "/v1/nothing", 404, "not_found"),
        ("get", "/v1", 404, "not_found"),
        ("get", "/v1/", 404, "not_found"),
        ("post", "/v1/runs", 405, "method_not_allowed"),
        ("delete", "/v1/runs/x", 405, "method_not_allowed"),
        ("get", "/v1/runs?limit=x", 400, "bad_parameter"),
        ("get", "/v1/scalars", 400, "bad_parameter"),
    ],
)
def test_every_error_has_the_same_shape(visit, method, path, status, code):
    answer = getattr(visit(), method)(path)

    assert answer.status_code == status
    error = answer.get_json()["error"]
    assert error.keys() == {"code", "message", "details"}
    assert error["code"] == code
    assert error["message"]


def test_a_wrong_method_is_told_the_right_ones(visit):
    answer = visit().delete("/v1/scalars")

    assert {"GET", "POST"} <= set(answer.headers["Allow"].split(", "))


def test_a_body_that_is_too_large_is_refused_unread(visit):
    answer = visit().post("/v1/scalars", data=b"x" * (16 * 2**20 + 1), content_type="application/json")

    assert answer.status_code == 413
    assert answer.get_json()["error"]["code"] == "too_large"


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b'"run"', b'{"run": {"a": 1}}', b'{"run": [true]}', b'{"run": [["a"]]}']
)
def test_a_body_that_is_no_set_of_parameters_is_a_bad_parameter(visit, body):
    answer = visit().post("/v1/scalars/tags", data=body, content_type="application/json")

    assert answer.status_code == 400
    assert answer.get_json()["error"]["code"] == "bad_parameter"


def test_the_unexpected_is_logged_and_not_told(tmp_path, caplog):
    class BrokenReader:
        @property
        def runs(self):
            raise RuntimeError("the disk is on fire")

    app = create_app(Settings(workspace=tmp_path, summary_base_dir=tmp_path), cast(IndexReader, BrokenReader()))

    with caplog.at_level(logging.ERROR):
        answer = app.test_client().get("/v1/runs")

    assert answer.status_code == 500
    assert answer.get_json()["error"]["code"] == "internal"
    assert "fire" not in answer.text
    assert "the disk is on fire" in caplog.text
