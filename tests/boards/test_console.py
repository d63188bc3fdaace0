"""The console of a run over REST: windows, moments, levels, search."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

START = 1_750_000_000.0


def write(board, lines, *, run="a", file=0, first=0):
    """Lines of our own recording, one each second."""
    folder = board.settings.summary_base_dir / run
    folder.mkdir(parents=True, exist_ok=True)
    path: Path = folder / f"mindinsight_like.console.{file}.1"
    with path.open("ab") as log:
        if not log.tell():
            log.write(b"mindinsight-like console 1\n")
        for number, line in enumerate(lines, first):
            log.write(f"{START + number:.6f} {line}\n".encode())
    return path


def console(board, route="console", **query):
    return board.get(f"runs/{board.id_of('a')}/{route}", **query)


def numbers(answer):
    return [line["number"] for line in answer["lines"]]


def test_the_last_lines_come_first_and_any_others_when_asked_for(board):
    write(board, [f"line {number}" for number in range(5000)])
    board.load()

    last = console(board)
    middle = console(board, from_line=998, limit=4)

    assert (last["total_lines"], numbers(last)) == (5000, list(range(4500, 5000)))
    assert [line["text"] for line in middle["lines"]] == ["line 998", "line 999", "line 1000", "line 1001"]
    assert middle["lines"][0]["time"] == START + 998
    assert console(board, from_line=6000)["lines"] == []


def test_lines_are_followed_and_files_are_numbered_on(board):
    write(board, ["one", "two"])
    board.load()
    assert numbers(console(board)) == [0, 1]
    write(board, ["three"], first=2)
    write(board, ["four"], file=1, first=3)
    board.load()

    assert [line["text"] for line in console(board, from_line=2)["lines"]] == ["three", "four"]
    assert console(board)["total_lines"] == 4


@pytest.mark.parametrize(("moment", "line"), [(0, 0), (2500.5, 2500), (999, 999), (1000, 1000), (1e9, 2999)])
def test_the_lines_of_a_moment(board, moment, line):
    write(board, [f"line {number}" for number in range(3000)])
    board.load()

    answer = console(board, at=START + moment, limit=10)

    assert answer["at_line"] == line
    assert line in numbers(answer)


@pytest.mark.parametrize(
    ("line", "level"),
    [
        ("2026-01-01 10:00:00,123 - root - WARNING - slow", "warning"),
        ("[INFO] step 3", "info"),
        ("[ERROR] ME(12:345,main):2026 failed", "error"),
        ("DEBUG:root:x", "debug"),
        ("warning: deprecated", "warning"),
        ("train.py:3: UserWarning: lr is high", "warning"),
        ("E1119 10:00:00.1 12 file.cc:3] broken", "error"),
        ("[rank0]:[W1119 10:00:00 socket.cpp] slow", "warning"),
        ('[12:00:00] {"level": "<info>"}', "info"),
        ("RuntimeError: CUDA out of memory", "error"),
        ("step 3 loss 0.5", None),
        ("the information of an errorless day", None),
        ("\x1b[31mERROR\x1b[0m: red", "error"),
    ],
)
def test_levels_are_told_by_the_usual_prefixes(board, line, level):
    write(board, [line])
    board.load()

    (found,) = console(board)["lines"]

    assert found["level"] == level
    assert "\x1b" not in found["text"]
    for least in ("debug", "info", "warning", "error"):
        order = ["debug", "info", "warning", "error"]
        expected = [0] if level and order.index(level) >= order.index(least) else []
        assert numbers(console(board, "console/search", level=least)) == expected


def test_all_of_a_traceback_is_an_error(board):
    trace = ["Traceback (most recent call last):", '  File "a.py", line 3', "    f()", "KeyError", "step 4"]
    write(board, ["before", *trace])
    board.load()

    assert [line["level"] for line in console(board)["lines"]] == [None, *["error"] * 4, None]
    assert numbers(console(board, "console/search", level="error")) == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("contains", "found"),
    [
        ("needle", [1, 2]),
        ("Needle in", [1]),
        ('say "hi"', [3]),
        ("back\\slash", [4]),
        ("\\u001b", [4]),
        ('","', [5]),
        ("损失", [6]),
        ("tab\there", [7]),
        ("redneedle", [2]),
        ("nothing", []),
    ],
)
def test_search_finds_what_the_lines_show(board, contains, found):
    lines = [
        "plain", "a NEEDLE in hay", "\x1b[31mred\x1b[0mneedle", 'they say "hi"', "back\\slash \\u001b[31m", 'a","b',
        "损失 0.1", "tab\there",
    ]  # fmt: skip
    write(board, lines)
    board.load()

    assert numbers(console(board, "console/search", contains=contains)) == found


def test_search_goes_on_in_pages_in_both_directions(board):
    write(board, [f"{'hit' if number % 100 == 7 else 'miss'} {number}" for number in range(5000)])
    board.load()
    expected = list(range(7, 5000, 100))

    for backward in (False, True):
        found, query = [], {"contains": "hit", "limit": 9, "backward": str(backward).lower()}
        answer = console(board, "console/search", **query)
        found += numbers(answer)
        while answer["next_line"] is not None:
            answer = console(board, "console/search", from_line=answer["next_line"], **query)
            found += numbers(answer)
        assert found == (expected[::-1] if backward else expected)


def test_the_whole_console_is_a_file(board):
    write(board, ["one", "\x1b[1mtwo\x1b[0m", "三"])
    board.load()

    answer = board.client.get(f"/v1/runs/{board.id_of('a')}/console/file")

    assert answer.get_data(as_text=True) == "one\ntwo\n三\n"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="a_console.txt"'


def test_a_run_without_a_console_has_no_lines(board):
    board.log("a", "loss", [1.0])
    board.load()

    assert console(board) == {"total_lines": 0, "has_times": False, "at_line": None, "lines": []}
    assert console(board, at=3.0)["at_line"] is None
    assert console(board, "console/search", contains="x", backward="true")["lines"] == []
    assert board.client.get("/v1/runs/unknown/console").status_code == 404
    assert board.client.get("/v1/runs/unknown/console/file").status_code == 404


def test_hostile_questions_and_lines_hurt_nobody(board):
    path = write(
        board, ["x" * 100_000, "\ud83d".encode("utf-8", "surrogatepass").decode("latin-1"), "\0\x7f", "\x1b" * 50]
    )
    with path.open("ab") as log:
        log.write(b"no time\n\xff\xfe broken\n\nnan inf\n")
    board.load()
    run = board.id_of("a")

    answer = console(board)
    assert answer["total_lines"] == 8
    assert len(answer["lines"][0]["text"]) == 20_000
    for query in (
        {"at": "1e308"}, {"at": "nan"}, {"from_line": "-1"}, {"from_line": str(2**63 - 1)}, {"limit": "0"},
        {"limit": "99999999"}, {"at": "-1e300"},
    ):  # fmt: skip
        assert board.client.get(f"/v1/runs/{run}/console", query_string=query).status_code in (200, 400)
    for search in (
        {"contains": "\ud800".encode("utf-8", "surrogatepass")}, {"contains": "x" * 10_000}, {"level": "loud"},
        {"from_line": str(2**63 - 1), "backward": "true"}, {"contains": "\0"},
    ):  # fmt: skip
        assert board.client.get(f"/v1/runs/{run}/console/search", query_string=search).status_code in (200, 400)


def test_a_search_in_many_lines_ends_in_time(board):
    line = "2026-01-01 10:00:00 INFO step 12345 loss 0.123456 lr 0.001 tokens 123456789 " * 2
    write(board, [line] * 200_000)
    board.load()

    begin = time.perf_counter()
    assert len(console(board)["lines"]) == 500
    first_screen = time.perf_counter() - begin
    begin = time.perf_counter()
    answer = console(board, "console/search", contains="not there")
    searched = time.perf_counter() - begin

    assert answer["lines"] == []
    assert first_screen < 1
    assert searched < 3
