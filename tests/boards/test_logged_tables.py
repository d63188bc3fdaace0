"""Tables over REST: sorted, filtered and paged; hostile ones harm nobody."""

from __future__ import annotations

import contextlib
import json
import sqlite3

import numpy as np
import pytest

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.values import tables
from mindinsight_like.values.records import BadValue, Record
from mindinsight_like.writers.encoding.images import png

PNG = b"\x89PNG\r\n\x1a\n"
COLUMNS = ["prompt", "score", "picture"]


@pytest.fixture
def logged(board):
    """Gives the id of a run with tables in a database as Trackio writes it."""

    def log(*tables, tag="samples"):
        path = board.settings.summary_base_dir / "digits.db"
        with contextlib.closing(sqlite3.connect(path)) as base:
            base.execute(
                "CREATE TABLE metrics"
                " (id INTEGER PRIMARY KEY, run_name TEXT, timestamp TEXT, step INTEGER, metrics TEXT)"
            )
            base.execute("CREATE TABLE configs (id INTEGER PRIMARY KEY, run_name TEXT, config TEXT, created_at TEXT)")
            for step, rows in enumerate(tables):
                value = {"_type": "trackio.table", "_value": rows} if isinstance(rows, list) else rows
                base.execute(
                    "INSERT INTO metrics (run_name, timestamp, step, metrics)"
                    " VALUES ('a', '2026-11-17T10:00:00Z', ?, ?)",
                    (step, json.dumps({tag: value}).encode()),
                )
            base.commit()
        board.load()
        (run,) = board.get("runs")["runs"]
        return run["id"]

    return log


@pytest.fixture
def samples(logged, board):
    picture = board.settings.summary_base_dir / "media" / "digits" / "cat.png"
    picture.parent.mkdir(parents=True)
    picture.write_bytes(png(np.zeros((3, 4, 3), np.uint8)))
    cell = {"_type": "trackio.image", "file_path": "digits/cat.png"}
    return logged(
        [{"prompt": "only", "score": 1}],
        [
            {"prompt": "Two cats", "score": 2.5, "picture": cell},
            {"prompt": "一只狗", "score": None, "picture": None},
            {"prompt": "ten DOGS", "score": 10, "picture": {"_type": "trackio.image", "file_path": "../../secret"}},
            {"prompt": "=1+1", "score": "NaN", "picture": None},
        ],
    )


def rows(board, run, **query):
    if "filter" in query:
        query["filter"] = json.dumps(query["filter"])
    return board.get("tables/rows", run=run, tag="samples", **query)


def prompts(board, run, **query):
    return [row[0] for row in rows(board, run, **query)["rows"]]


def test_steps_are_listed_with_columns_and_numbers_of_rows(board, samples):
    (series,) = board.get("tables", run=samples, tag="samples")["series"]

    assert [(item["step"], item["columns"], item["rows"]) for item in series["items"]] == [
        (0, ["prompt", "score"], 1),
        (1, COLUMNS, 4),
    ]


def test_the_last_step_is_shown_unless_one_is_asked_for(board, samples):
    newest = rows(board, samples)

    assert newest.items() >= {"step": 1, "columns": COLUMNS, "total": 4, "selected": 4, "offset": 0}.items()
    assert newest["rows"][1] == ["一只狗", None, None]
    assert prompts(board, samples, step=0) == ["only"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"sort": 1}, [0, 2, 3, 1]),
        ({"sort": 1, "order": "descending"}, [2, 0, 3, 1]),
        ({"sort": 0}, [3, 2, 0, 1]),
        ({"offset": 1, "limit": 2}, [1, 2]),
        ({"offset": 9}, []),
        ({"limit": 0}, []),
        ({"filter": [{"is": "contains", "value": "dogs"}]}, [2]),
        ({"filter": [{"column": 1, "is": ">", "value": "2"}]}, [0, 2]),
        ({"filter": [{"column": 1, "is": "<", "value": "3"}]}, [0]),
        ({"filter": [{"column": 1, "is": "=", "value": "10.0"}]}, [2]),
        ({"filter": [{"column": 0, "is": "=", "value": "two cats"}]}, [0]),
        ({"filter": [{"column": 0, "is": ">", "value": "u"}]}, [1]),
        ({"filter": [{"column": 1, "is": ">", "value": "0"}, {"is": "contains", "value": "cat"}]}, [0]),
    ],
)
def test_rows_are_sorted_filtered_and_paged(board, samples, query, expected):
    assert rows(board, samples, **query)["numbers"] == expected


@pytest.mark.parametrize(
    "query",
    [
        {"sort": 3},
        {"filter": [{"column": 3, "is": "=", "value": ""}]},
        {"filter": [{"is": "like", "value": ""}]},
        {"filter": {"is": "=", "value": ""}},
        {"filter": [{"is": "=", "value": ""}] * 21},
        {"limit": 1001},
        {"order": "up"},
    ],
)
def test_what_does_not_fit_the_table_is_refused(board, samples, query):
    if "filter" in query:
        query["filter"] = json.dumps(query["filter"])

    answer = board.client.get("/v1/tables/rows", query_string={"run": samples, "tag": "samples", **query})

    assert answer.status_code == 400, answer.text


def test_a_cell_that_is_a_file_has_its_address(board, samples):
    cat, outside = rows(board, samples)["files"]

    assert cat.items() >= {"row": 0, "column": 2, "name": "cat.png"}.items()
    picture = board.client.get(cat["url"])
    assert (picture.status_code, picture.content_type, picture.data[:8]) == (200, "image/png", PNG)
    assert rows(board, samples)["rows"][0][2] == "cat.png"
    (board.settings.summary_base_dir.parent / "secret").write_bytes(PNG)
    assert board.client.get(outside["url"]).status_code == 410


def test_files_follow_their_rows(board, samples):
    (cat,) = rows(board, samples, sort=1, limit=1)["files"]

    assert board.client.get(cat["url"]).data[:8] == PNG


def test_all_selected_rows_can_be_had_as_csv(board, samples):
    answer = board.client.get(
        "/v1/tables/rows", query_string={"run": samples, "tag": "samples", "format": "csv", "sort": 0}
    )

    assert answer.content_type == "text/csv; charset=utf-8"
    assert answer.text == "prompt,score,picture\n'=1+1,NaN,\nten DOGS,10,secret\nTwo cats,2.5,cat.png\n一只狗,,\n"


def test_there_is_no_table_at_other_steps(board, samples):
    for query in ({"tag": "samples", "step": 7}, {"tag": "other"}):
        answer = board.client.get("/v1/tables/rows", query_string={"run": samples, **query})
        assert answer.status_code == 404


@pytest.mark.parametrize(
    ("content", "columns", "found"),
    [
        (b'{"columns":["a"],"data":[[1],[NaN],[-Infinity]]}', ["a"], [[1], ["NaN"], ["-Infinity"]]),
        (b'{"columns":["NaN"],"data":[["say \\"NaN\\""],[NaN]]}', ["NaN"], [['say "NaN"'], ["NaN"]]),
        (b'{"columns":[1,null],"data":[[1],[1,2,3],7,{"a":1}]}', ["1", ""], [[1, None], [1, 2], [7, None], None]),
        (b'{"data":[[1,2]]}', ["0", "1"], [[1, 2]]),
        (b'{"columns":["a"],"data":[]}', ["a"], []),
        (b'{"columns":["a"],"data":[[12345678901234567890123]]}', ["a"], None),
        (b'{"columns":["a"],"data":[["\\ud83d\\ude00\\ud83dx"],[1]]}', ["a"], [["\U0001f600\ufffdx"], [1]]),
    ],
)
def test_odd_tables_are_read(content, columns, found):
    table = opened(content)

    assert table.columns == columns
    shown = table.rows(range(table.count))
    assert all(len(row) == len(columns) for row in shown)
    if found is not None:
        assert [row for row, wanted in zip(shown, found, strict=True) if wanted is not None and row != wanted] == []


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"{}",
        b'{"columns":["a"],"data":[[1]',
        b'{"columns":{"a":1},"data":[[1]]}',
        b'{"columns":["a"],"data":{"a":1}}',
        b'{"columns":["a"],"rows":[' + b"[" * 100_000 + b"]" * 100_000 + b"]}",
        b'{"columns":["a\xff"],"rows":[]}',
        b'{"columns":[' + b",".join([b'""'] * 10_001) + b'],"rows":[]}',
    ],
)
def test_what_is_no_table_says_so(content):
    with pytest.raises(BadValue):
        opened(content)


def opened(content):
    return tables.table(Record(Dialect.WANDB, content))
