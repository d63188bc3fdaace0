"""Scalar series over REST: every point, exactly, in three formats."""

from __future__ import annotations

import io
import math

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

WORDS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
START = 1_750_000_000.25


@pytest.fixture
def odd(board):
    """A run with values that are hard to carry."""
    board.log("odd", "loss", [0.1, math.nan, 1e-310, math.inf, -math.inf, -0.0, 1 / 3])
    board.load()
    return board, board.id_of("odd")


def test_a_series_holds_every_point_exactly(odd):
    board, run = odd

    (series,) = board.get("scalars", run=run, tag="loss")["series"]

    assert (series["run"], series["tag"], series["source"]) == (run, "loss", "")
    assert series["values"] == [0.1, "NaN", 1e-310, "Infinity", "-Infinity", -0.0, 1 / 3]
    assert series["steps"] == list(range(7))
    assert series["wall_times"] == [START + step for step in range(7)]
    assert series["start_time"] == START
    assert (series["total_points"], series["downsampled"], series["segments"]) == (7, False, [0])
    assert "smoothed" not in series


def test_single_precision_values_are_sent_as_the_exact_number_that_was_stored(board):
    from mindinsight_like.writers.encoding import tensorboard

    folder = board.settings.summary_base_dir / "a"
    folder.mkdir()
    event = tensorboard.event([tensorboard.scalar("loss", 0.1)], step=1, wall_time=START)
    (folder / tensorboard.file_name(START, host="host")).write_bytes(tensorboard.frame(event))
    board.load()

    (series,) = board.get("scalars", run=board.id_of("a"), tag="loss")["series"]

    assert series["values"] == [float(np.float32(0.1))]


def test_a_downsampled_series_keeps_the_spike(board):
    values = np.zeros(5000)
    values[3333] = 99.0
    board.log("a", "loss", values)
    board.load()

    (series,) = board.get("scalars", run=board.id_of("a"), tag="loss", max_points=100)["series"]

    assert series["downsampled"]
    assert series["total_points"] == 5000
    assert len(series["steps"]) <= 100
    assert 99.0 in series["values"]
    assert (series["steps"][0], series["steps"][-1]) == (0, 4999)


def test_all_points_are_there_for_the_asking(board):
    board.log("a", "loss", np.arange(2500.0))
    board.load()

    (series,) = board.get("scalars", run=board.id_of("a"), tag="loss", max_points="all")["series"]

    assert not series["downsampled"]
    assert series["values"] == list(range(2500))


def test_a_range_of_steps_includes_both_ends(board):
    board.log("a", "loss", np.arange(10.0))
    board.load()

    (series,) = board.get("scalars", run=board.id_of("a"), tag="loss", from_step=3, to_step=5)["series"]

    assert series["steps"] == [3, 4, 5]
    assert series["total_points"] == 3
    assert series["start_time"] == START


def test_a_resumed_run_shows_its_newer_points_or_all(board):
    board.log("a", "loss", [1.0, 1.0, 1.0, 1.0])
    board.log("a", "loss", [2.0, 2.0], first_step=2, file=10)
    board.load()
    run = board.id_of("a")

    (latest,) = board.get("scalars", run=run, tag="loss")["series"]
    (everything,) = board.get("scalars", run=run, tag="loss", resume="all")["series"]

    assert latest["values"] == [1.0, 1.0, 2.0, 2.0]
    assert latest["steps"] == [0, 1, 2, 3]
    assert len(everything["values"]) == 6
    assert len(everything["segments"]) == 2


def test_smoothing_comes_beside_the_values(board):
    board.log("a", "loss", [1.0, 0.0, 0.0])
    board.load()

    (series,) = board.get("scalars", run=board.id_of("a"), tag="loss", smoothing=0.5)["series"]

    assert series["values"] == [1.0, 0.0, 0.0]
    np.testing.assert_allclose(series["smoothed"], [1.0, 1 / 3, 1 / 7])


def test_several_runs_and_tags_are_answered_together_and_missing_tags_left_out(board):
    board.log("a", "loss", [1.0])
    board.log("a", "acc", [0.5])
    board.log("b", "loss", [2.0])
    board.load()
    a, b = board.id_of("a"), board.id_of("b")

    asked = {"run": [a, b], "tag": ["loss", "acc", "nothing"]}
    by_get = board.get("scalars", **asked)
    by_post = board.client.post("/v1/scalars", json=asked).get_json()

    assert {(s["run"], s["tag"]) for s in by_get["series"]} == {(a, "loss"), (a, "acc"), (b, "loss")}
    assert by_post == by_get


def test_a_post_takes_every_parameter_as_a_json_value(board):
    board.log("a", "loss", np.arange(100.0))
    board.load()

    body = {"run": board.id_of("a"), "tag": "loss", "from_step": 10, "to_step": None, "max_points": 8, "smoothing": 0.5}
    (series,) = board.client.post("/v1/scalars", json=body).get_json()["series"]

    assert series["total_points"] == 90
    assert len(series["steps"]) <= 8
    assert len(series["smoothed"]) == len(series["steps"])


def test_tags_over_several_runs(board):
    board.log("a", "loss", [3.0, 1.0])
    board.log("b", "loss", [5.0], first_step=9)
    board.log("b", "acc", [math.nan])
    board.load()
    a, b = board.id_of("a"), board.id_of("b")

    tags = board.get("scalars/tags", run=[a, b])["tags"]
    by_post = board.client.post("/v1/scalars/tags", json={"run": [a, b]}).get_json()["tags"]

    acc, loss = tags
    assert acc == {
        "tag": "acc", "runs": [b], "count": 1, "first_step": 0, "last_step": 0,
        "min": None, "max": None, "non_finite": 1, "superseded": 0,
    }  # fmt: skip
    assert sorted(loss.pop("runs")) == sorted([a, b])
    assert loss == {
        "tag": "loss", "count": 3, "first_step": 0, "last_step": 9, "min": 1.0, "max": 5.0, "non_finite": 0,
        "superseded": 0,
    }  # fmt: skip
    assert [tag["tag"] for tag in by_post] == ["acc", "loss"]


@pytest.mark.parametrize("asked", ["tag=loss", "run=x", "run=x&tag=loss&max_points=0", "run=x&tag=loss&smoothing=1"])
def test_bad_parameters_are_named(board, asked):
    answer = board.client.get(f"/v1/scalars?{asked}")

    assert answer.status_code == 400
    assert answer.get_json()["error"]["details"]["parameter"] in ("run", "tag", "max_points", "smoothing")


def test_csv_has_a_row_per_point_and_the_same_numbers(odd):
    board, run = odd

    answer = board.client.get("/v1/scalars", query_string={"run": run, "tag": "loss", "format": "csv"})
    lines = answer.text.splitlines()
    (series,) = board.get("scalars", run=run, tag="loss")["series"]

    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="loss.csv"'
    assert lines[0] == "run,tag,source,step,wall_time,value,run_id"
    written = [line.split(",")[5] for line in lines[1:]]
    assert written == ["0.1", "NaN", "1e-310", "Infinity", "-Infinity", "-0", repr(1 / 3)]
    table = pd.read_csv(io.StringIO(answer.text), keep_default_na=False, na_values={"value": ["NaN"]})
    assert set(table["run"]) == {"odd"}
    assert set(table["run_id"]) == {run}
    assert list(table["wall_time"]) == series["wall_times"]
    np.testing.assert_array_equal(table["value"], [WORDS.get(value, value) for value in series["values"]])


def test_arrow_has_the_same_rows_as_csv(board):
    board.log("a", "loss", np.arange(70_000.0))
    board.log("b, c", "loss", [math.nan, 2.0])
    board.load()
    asked = {"run": [board.id_of("a"), board.id_of("b, c")], "tag": "loss", "max_points": "all"}

    arrow = board.client.get("/v1/scalars", query_string=asked | {"format": "arrow"})
    csv = board.client.get("/v1/scalars", query_string=asked | {"format": "csv"})
    table = pa.ipc.open_stream(arrow.data).read_pandas()
    rows = pd.read_csv(io.StringIO(csv.text), keep_default_na=False, na_values={"value": ["NaN"]})

    assert arrow.headers["Content-Type"] == "application/vnd.apache.arrow.stream"
    assert len(table) == 70_002
    assert list(table.columns) == list(rows.columns)
    for name in ("run", "tag", "source", "run_id"):
        assert list(table[name].astype(str)) == list(rows[name])
    for name in ("step", "wall_time", "value"):
        np.testing.assert_array_equal(table[name], rows[name])


@pytest.mark.parametrize("format", ["csv", "arrow"])
def test_tables_have_the_smoothed_column_when_asked(board, format):
    board.log("a", "loss", [1.0, 0.0])
    board.load()
    asked = {"run": board.id_of("a"), "tag": "loss", "smoothing": 0.5, "format": format}

    answer = board.client.get("/v1/scalars", query_string=asked)

    if format == "csv":
        table = pd.read_csv(io.BytesIO(answer.data))
    else:
        table = pa.ipc.open_stream(answer.data).read_pandas()
    np.testing.assert_allclose(table["smoothed"], [1.0, 1 / 3])


@pytest.mark.parametrize("format", ["csv", "arrow"])
def test_a_table_without_rows_is_still_a_table(board, format):
    board.log("a", "loss", [1.0])
    board.load()
    asked = {"run": board.id_of("a"), "tag": "nothing", "format": format}

    answer = board.client.get("/v1/scalars", query_string=asked)

    if format == "csv":
        assert answer.text == "run,tag,source,step,wall_time,value,run_id\n"
    else:
        assert pa.ipc.open_stream(answer.data).read_all().num_rows == 0


@pytest.mark.parametrize("format", ["csv", "arrow"])
def test_a_table_of_an_unknown_run_is_an_error_and_no_broken_table(board, format):
    board.log("a", "loss", [1.0])
    board.load()

    answer = board.client.get(
        "/v1/scalars", query_string={"run": [board.id_of("a"), "gone"], "tag": "loss", "format": format}
    )

    assert answer.status_code == 404


def test_a_spreadsheet_is_not_handed_a_formula(board):
    board.log("a", '=HYPERLINK("http://evil.example")', [-1.0])
    board.load()

    answer = board.client.get(
        "/v1/scalars",
        query_string={"run": board.id_of("a"), "tag": '=HYPERLINK("http://evil.example")', "format": "csv"},
    )
    row = pd.read_csv(io.StringIO(answer.text)).iloc[0]

    assert row["tag"] == '\'=HYPERLINK("http://evil.example")'
    assert row["value"] == -1.0


def test_an_expression_is_a_series_like_any_other(board):
    steps = np.arange(3000.0)
    board.log("a", "train/loss", steps + 1)
    board.log("a", "eval/loss", 2 * (steps + 1))
    board.log("b", "train/loss", steps)
    board.load()
    runs = [board.id_of("a"), board.id_of("b")]

    (ratio,) = board.get("scalars", run=runs, tag="=train/loss / eval/loss", max_points=100, smoothing=0.5)["series"]

    assert (ratio["run"], ratio["tag"], ratio["total_points"]) == (runs[0], "=train/loss / eval/loss", 3000)
    assert set(ratio["values"]) == {0.5} and ratio["downsampled"] and len(ratio["smoothed"]) == len(ratio["values"])


def test_a_difference_needs_a_baseline(board):
    board.log("a", "loss", [1.0, 2.0, 4.0])
    board.log("b", "loss", [1.0, 1.0, 1.0])
    board.load()
    a, b = board.id_of("a"), board.id_of("b")

    (difference,) = board.get("scalars", run=a, tag="=delta(loss)", baseline=b)["series"]

    assert difference["values"] == [0.0, 1.0, 3.0]
    without = board.client.get("/v1/scalars", query_string={"run": a, "tag": "=delta(loss)"})
    assert without.status_code == 400
    assert without.get_json()["error"]["details"]["parameter"] == "baseline"
    unknown = board.client.get("/v1/scalars", query_string={"run": a, "tag": "=delta(loss)", "baseline": "nowhere"})
    assert unknown.status_code == 404


def test_a_tag_that_looks_like_an_expression_is_itself(board):
    board.log("a", "=loss +", [1.0])
    board.load()

    (series,) = board.get("scalars", run=board.id_of("a"), tag="=loss +")["series"]

    assert series["values"] == [1.0]


def test_values_of_expressions_that_are_no_numbers_are_words(board):
    board.log("a", "loss", [1.0, 0.0, -1.0])
    board.load()

    (series,) = board.get("scalars", run=board.id_of("a"), tag="=loss / 0")["series"]

    assert series["values"] == ["Infinity", "NaN", "-Infinity"]


def test_all_points_of_an_expression_are_a_table(board):
    board.log("a", "loss", [1.0, 2.0])
    board.load()

    text = board.client.get(
        "/v1/scalars", query_string={"run": board.id_of("a"), "tag": "=loss * 2", "format": "csv", "max_points": "all"}
    ).get_data(as_text=True)

    assert pd.read_csv(io.StringIO(text))["value"].tolist() == [2.0, 4.0]


@pytest.mark.parametrize(
    ("expression", "problem", "position"),
    [
        ("loss - los", "unknown_tag", 7),
        ("(" * 300 + "loss", "too_deep", 60),
        ("loss+" * 2000, "too_long", 2000),
        ("log(loss", "expected", 8),
        ("", "expected", 0),
    ],
)
def test_an_expression_is_checked_with_the_place_of_its_problem(board, expression, problem, position):
    board.log("a", "loss", [1.0])
    board.load()

    response = board.client.post("/v1/scalars/expression", json={"run": [board.id_of("a")], "expression": expression})

    assert response.status_code == 400
    details = response.get_json()["error"]["details"]
    assert (details["problem"], details["position"]) == (problem, position)


def test_a_checked_expression_says_what_it_names(board):
    board.log("a", "train/loss", [1.0])
    board.log("b", "eval/loss", [1.0])
    board.load()

    checked = board.get(
        "scalars/expression", run=[board.id_of("a"), board.id_of("b")], expression="delta(train/loss) / 2"
    )

    assert checked == {"tags": ["train/loss"], "runs": 1, "needs_baseline": True}


def test_tags_are_totalled_over_runs_of_one_log_and_of_several(board):
    board.log("plain", "loss", [3.0, math.nan, 1.0])
    board.log("plain", "other", [math.nan])
    board.log("resumed", "loss", [5.0, 4.0, 9.0])
    board.log("resumed", "loss", [2.0, 7.0], first_step=2, file=1)
    board.load()
    plain, resumed = board.id_of("plain"), board.id_of("resumed")

    loss, other = board.get("scalars/tags", run=[resumed, plain])["tags"]

    assert (loss["tag"], loss["runs"], loss["count"], loss["superseded"]) == ("loss", [resumed, plain], 7, 1)
    assert (loss["first_step"], loss["last_step"], loss["min"], loss["max"]) == (0, 3, 1.0, 7.0)
    assert (other["runs"], other["count"], other["min"], other["non_finite"]) == ([plain], 1, None, 1)
    assert loss["non_finite"] == 1
