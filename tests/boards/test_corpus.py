"""Logs of the real frameworks over REST: every scalar as it was written."""

from __future__ import annotations

import json

import numpy as np

WORDS = {"NaN": np.nan, "Infinity": np.inf, "-Infinity": -np.inf}


def as_numbers(values):
    return np.array([WORDS.get(value, value) for value in values], dtype=np.float64)


def test_every_scalar_of_every_framework_is_answered_as_it_was_written(corpus, corpus_board):
    ids = {run["name"]: run["id"] for run in corpus_board.get("runs")["runs"]}
    compared = 0
    for path in sorted(corpus.rglob("expected.json")):
        written = json.loads(path.read_text()).get("scalars")
        if not written:
            continue
        run = ids[path.parent.relative_to(corpus).as_posix()]
        answer = corpus_board.client.post(
            "/v1/scalars", json={"run": run, "tag": list(written), "max_points": "all"}
        ).get_json()
        series = {curve["tag"]: curve for curve in answer["series"]}
        for tag, points in written.items():
            steps, values = [point[0] for point in points], as_numbers(point[1] for point in points)
            assert series[tag]["steps"] == steps, (path, tag)
            # Computed inside MindSpore's graph and, for the expectation, by numpy: the last bit may differ.
            tolerance = 2e-7 if tag == "batch/brightness" else 0
            answered = as_numbers(series[tag]["values"])
            np.testing.assert_allclose(answered, values, rtol=tolerance, atol=0, err_msg=f"{path} {tag}")
            compared += len(points)
    assert compared > 400
