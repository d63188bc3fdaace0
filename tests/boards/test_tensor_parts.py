"""Slices and histograms of tensors over REST: any rank, any type, windows, differences, and what does not fit."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from mindinsight_like.writers.encoding import mindspore, tensorboard, wire

FLOAT, STRING = 1, 7


@pytest.fixture
def logged(board):
    """Logs arrays at steps 0, 1, ... under the tag `t` of one run; gives its id."""

    def log(*arrays):
        for step, array in enumerate(arrays):
            board.log_values("run", tensorboard.tensor("t", np.asarray(array), plugin="x"), step=step)
        board.load()
        return board.id_of("run")

    return log


def claimed(dtype, sizes, content):
    shape = wire.blob(2, b"".join(wire.blob(2, wire.integer(1, size)) for size in sizes))
    metadata = wire.blob(9, wire.blob(1, wire.text(1, "x")))
    return wire.text(1, "t") + metadata + wire.blob(8, wire.integer(1, dtype) + shape + content)


def test_every_slice_of_a_tensor_is_that_of_numpy(board, logged):
    array = np.arange(2 * 3 * 4 * 5, dtype=np.float32).reshape(2, 3, 4, 5)
    run = logged(array)

    for index, expected in [
        ("", array[0, 0]),
        ("1,2,:,:", array[1, 2]),
        ("1,:,3,:", array[1, :, 3]),
        (":,0,:,4", array[:, 0, :, 4]),
        (":,-1,-1,:", array[:, -1, -1]),
        ("[1, 2, 3, :]", array[1:2, 2, 3]),
        (":,2,3,4", array[:, 2, 3, 4][None]),
        ("1,2,3,4", array[1:, 2, 3, 4:]),
    ]:
        found = board.get("tensors/slice", run=run, tag="t", index=index)
        assert found["values"] == expected.tolist(), index
        assert (found["rows"], found["columns"]) == expected.shape
        assert (found["min"], found["max"]) == (expected.min(), expected.max())
    assert board.get("tensors/slice", run=run, tag="t", index="1,:,-1,:")["index"] == [1, None, 3, None]


@pytest.mark.parametrize("shape", [(), (7,), (1, 1), (0,), (3, 0), (0, 3, 2)])
def test_tensors_of_every_rank_and_of_no_size(board, logged, shape):
    array = np.arange(math.prod(shape), dtype=np.float64).reshape(shape)
    run = logged(array)

    found = board.get("tensors/slice", run=run, tag="t")
    spread = board.get("tensors/histogram", run=run, tag="t")

    expected = array[(0,) * (array.ndim - 2)] if array.size else np.zeros((found["rows"], found["columns"]))
    assert found["values"] == np.atleast_2d(expected).tolist()
    assert found["shape"] == list(shape)
    assert sum(spread["counts"]) == array.size


def test_a_window_of_a_slice(board, logged):
    array = np.arange(300 * 400, dtype=np.int32).reshape(300, 400)
    run = logged(array)

    def window(**given):
        found = board.get("tensors/slice", run=run, tag="t", **given)
        assert (found["rows"], found["columns"]) == (300, 400)
        return found["values"]

    assert window() == array[:100, :100].tolist()
    assert window(row=290, rows=50, column=7, columns=2) == array[290:, 7:9].tolist()
    assert window(row=1000) == []
    assert window(column=1000, rows=2) == [[], []]
    assert board.client.get(f"/v1/tensors/slice?run={run}&tag=t&rows=300&columns=400").status_code == 413


def test_parts_of_a_large_tensor_are_read_alone(board, logged, monkeypatch):
    array = np.arange(64 * 256 * 256, dtype=np.float32).reshape(64, 256, 256)
    run = logged(array)
    read = []
    from mindinsight_like.store.blobs import BlobBytes

    original = BlobBytes.read

    def counted(*arguments):
        read.append(arguments[3])
        return original(*arguments)

    monkeypatch.setattr(BlobBytes, "read", counted)

    for index, expected in [("9,:,:", array[9]), (":,3,:", array[:, 3]), (":,:,5", array[:, :, 5])]:
        read.clear()
        found = board.get("tensors/slice", run=run, tag="t", index=index, row=20, rows=30, column=100, columns=30)
        assert found["values"] == expected[20:50, 100:130].tolist()
        assert sum(read) < array.nbytes / 8, index


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "uint8", "int32", "int64", "uint64"])
def test_numbers_of_every_type(board, logged, dtype):
    array = np.array([[0, 1, 100], [3, 4, 5]], dtype)
    run = logged(array)

    assert board.get("tensors/slice", run=run, tag="t")["values"] == array.tolist()
    assert board.get("tensors/histogram", run=run, tag="t")["statistics"]["max"] == 100


def test_truth_values(board, logged):
    run = logged([[True, False]], [[False, False]])

    assert board.get("tensors/slice", run=run, tag="t", step=0)["values"] == [[True, False]]
    assert board.get("tensors/slice", run=run, tag="t", step=1, minus=0)["values"] == [[-1, 0]]
    spread = board.get("tensors/histogram", run=run, tag="t", step=0)
    assert (spread["edges"], spread["counts"]) == ([-0.5, 0.5, 1.5], [1, 1])


def test_what_is_not_finite_travels_as_text(board, logged):
    run = logged(np.array([1, np.nan, np.inf, -np.inf, 3], np.float32))

    found = board.get("tensors/slice", run=run, tag="t")
    spread = board.get("tensors/histogram", run=run, tag="t", bins=2)

    assert found["values"] == [[1, "NaN", "Infinity", "-Infinity", 3]]
    assert (found["min"], found["max"]) == (1, 3)
    assert (spread["edges"], spread["counts"]) == ([1, 2, 3], [1, 1])
    assert [spread["statistics"][name] for name in ("nan", "pos_inf", "neg_inf")] == [1, 1, 1]


def test_whole_numbers_that_javascript_cannot_hold_travel_as_text(board, logged):
    run = logged(np.array([2**53, 2**53 + 1, -5], np.int64), np.array([2**53, 2**53 + 2, -5], np.int64))

    assert board.get("tensors/slice", run=run, tag="t", step=0)["values"] == [[2**53, str(2**53 + 1), -5]]
    assert board.get("tensors/slice", run=run, tag="t", step=1, minus=0)["values"] == [[0, 1, 0]]


def test_a_difference_beyond_whole_numbers_is_rounded_not_wrong(board, logged):
    run = logged(np.array([2**63 - 1], np.int64), np.array([-(2**63)], np.int64))

    ((value,),) = board.get("tensors/slice", run=run, tag="t", step=0, minus=1)["values"]

    assert float(value) == 2.0**64


def test_complex_numbers(board):
    content = np.array([3 + 4j, -1j], np.complex64).tobytes()
    board.log_values("run", claimed(8, [2], wire.blob(4, content)))
    board.load()
    run = board.id_of("run")

    assert board.get("tensors/slice", run=run, tag="t")["values"] == [["3+4j", "-0-1j"]]
    spread = board.get("tensors/histogram", run=run, tag="t")
    assert (spread["of"], spread["statistics"]["min"], spread["statistics"]["max"]) == ("magnitudes", 1, 5)


def test_bfloat16_and_numbers_that_are_listed(board):
    board.log_values("run", claimed(14, [2], wire.blob(4, b"\xc0\x3f\x00\xc0")), step=0)
    board.log_values("run", claimed(3, [2], wire.blob(7, wire.varint(300) + wire.varint(-5 % 2**64))), step=1)
    board.log_values("run", claimed(1, [3], wire.single(5, 1.5)), step=2)
    board.log_values("run", claimed(1, [2], wire.blob(5, np.array([1, 2], "<f4").tobytes())), step=3)
    board.load()
    run = board.id_of("run")

    found = [board.get("tensors/slice", run=run, tag="t", step=step)["values"] for step in range(4)]

    assert found == [[[1.5, -2]], [[300, -5]], [[1.5, 1.5, 1.5]], [[1, 2]]]


def test_strings_are_shown_but_not_counted(board):
    board.log_values("run", tensorboard.strings("t", [b"one", b"<b>", b"\xff", b"x" * 5000], shape=(2, 2), plugin="x"))
    board.load()
    run = board.id_of("run")

    found = board.get("tensors/slice", run=run, tag="t")
    refused = board.client.get("/v1/tensors/histogram", query_string={"run": run, "tag": "t"})

    assert found["values"] == [["one", "<b>"], ["\ufffd", "x" * 1000 + "…"]]
    assert found["min"] is None
    assert (refused.status_code, refused.get_json()["error"]["code"]) == (422, "bad_data")
    assert "strings" in refused.get_json()["error"]["message"]


def test_the_difference_between_two_steps(board, logged):
    one, other = np.array([[1.5, 2], [3, 4]], np.float32), np.array([[1, 2], [5, np.inf]], np.float32)
    run = logged(one, other)

    found = board.get("tensors/slice", run=run, tag="t", step=1, minus=0)
    spread = board.get("tensors/histogram", run=run, tag="t", step=1, minus=0, bins=4)

    assert (found["step"], found["minus"]) == (1, 0)
    assert found["values"] == [[-0.5, 0], [2, "Infinity"]]
    assert spread["statistics"]["sum"] == 1.5
    assert (spread["statistics"]["min"], spread["statistics"]["pos_inf"]) == (-0.5, 1)
    assert sum(spread["counts"]) == 3


def test_tensors_of_different_shapes_have_no_difference(board, logged):
    run = logged(np.zeros((2, 3)), np.zeros((3, 2)))

    refused = board.client.get("/v1/tensors/slice", query_string={"run": run, "tag": "t", "step": 1, "minus": 0})

    assert refused.status_code == 422
    assert "[3, 2]" in refused.get_json()["error"]["message"]
    assert board.get("tensors/slice", run=run, tag="t", step=1)["shape"] == [3, 2]


def test_the_last_step_is_the_one_without_asking(board, logged):
    run = logged([1.0], [2.0], [3.0])

    assert board.get("tensors/slice", run=run, tag="t")["step"] == 2
    assert board.get("tensors/histogram", run=run, tag="t")["statistics"]["mean"] == 3


@pytest.mark.parametrize(
    "tensor",
    [
        claimed(FLOAT, [3], wire.blob(4, bytes(8))),
        claimed(FLOAT, [2], wire.blob(4, bytes(7))),
        claimed(FLOAT, [2**40, 2**40], wire.blob(4, bytes(8))),
        claimed(FLOAT, [2**40], b""),
        claimed(FLOAT, [-1], wire.blob(4, bytes(4))),
        claimed(FLOAT, [1] * 40, wire.blob(4, bytes(4))),
        claimed(99, [1], wire.blob(4, bytes(4))),
        claimed(STRING, [5], wire.blob(8, b"one")),
    ],
)
def test_a_tensor_that_does_not_fit_its_shape_says_so_and_hurts_no_other(board, tensor):
    board.log_values("run", tensor, tensorboard.tensor("good", np.ones(2), plugin="x"))
    board.load()
    run = board.id_of("run")

    for part in ("slice", "histogram"):
        refused = board.client.get(f"/v1/tensors/{part}", query_string={"run": run, "tag": "t"})
        assert (refused.status_code, refused.get_json()["error"]["code"]) == (422, "bad_data")
        assert len(refused.get_json()["error"]["message"]) > 10
    assert board.get("tensors/slice", run=run, tag="good")["values"] == [[1, 1]]
    series = board.get("tensors", run=run, tag=["t", "good"])["series"]
    assert ["error" in each["items"][0] for each in series] == [True, False]


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({"index": ":"}, 400),
        ({"index": ":,:,:"}, 400),
        ({"index": "0,x"}, 400),
        ({"index": "2,:"}, 400),
        ({"index": "-3,:"}, 400),
        ({"index": "99999999999999999999,:"}, 400),
        ({"row": -1}, 400),
        ({"step": 5}, 404),
        ({"minus": 5}, 404),
        ({"tag": "other"}, 404),
        ({"source": "rank 1"}, 404),
        ({"run": "unknown"}, 404),
    ],
)
def test_what_is_not_there_is_said(board, logged, given, status):
    run = logged(np.zeros((2, 2)))

    refused = board.client.get("/v1/tensors/slice", query_string={"run": run, "tag": "t", **given})

    assert refused.status_code == status, refused.text
    assert refused.get_json()["error"]["message"]


def test_run_and_tag_are_needed(board, logged):
    run = logged([1.0])

    assert board.client.get(f"/v1/tensors/slice?run={run}").status_code == 400
    assert board.client.get("/v1/tensors/histogram?tag=t").status_code == 400
    assert board.client.get(f"/v1/tensors/histogram?run={run}&tag=t&bins=100000").status_code == 400


@pytest.mark.parametrize(
    "numbers",
    [
        [1.0, 1.0, 1.0],
        [1e308, -1e308, 5.0],
        [5e-324, 0.0],
        [1e300, np.nextafter(1e300, np.inf)],
        list(range(1000)),
        [np.nan],
    ],
)
def test_histograms_count_every_finite_number_once(board, logged, numbers):
    run = logged(np.array(numbers, np.float64))

    found = board.get("tensors/histogram", run=run, tag="t")

    assert sum(found["counts"]) == np.isfinite(numbers).sum()
    assert len(found["edges"]) == (len(found["counts"]) + 1 if found["counts"] else 0)
    assert (np.diff(np.array(found["edges"], float)) >= 0).all()


def test_a_histogram_is_that_of_numpy_also_over_many_pieces(board, logged):
    array = np.random.default_rng(5).normal(3, 2, 2_500_000).astype(np.float32)
    run = logged(array)

    found = board.get("tensors/histogram", run=run, tag="t", bins=40)

    wide = array.astype(np.float64)
    counts, edges = np.histogram(wide, 40)
    assert found["counts"] == counts.tolist()
    np.testing.assert_allclose(found["edges"], edges)
    assert found["statistics"]["mean"] == pytest.approx(wide.mean(), rel=1e-12)
    assert found["statistics"]["std"] == pytest.approx(wide.std(), rel=1e-12)


def test_few_whole_numbers_have_a_bucket_each(board, logged):
    run = logged(np.array([3, 3, 5], np.int64))

    found = board.get("tensors/histogram", run=run, tag="t")

    assert (found["edges"], found["counts"]) == ([2.5, 3.5, 4.5, 5.5], [2, 0, 1])


def test_a_slice_as_csv(board, logged):
    run = logged(np.array([[1.5, np.nan], [-2, 3]]))

    answer = board.client.get("/v1/tensors/slice", query_string={"run": run, "tag": "t", "format": "csv"})

    assert answer.content_type.startswith("text/csv")
    assert answer.text == "1.5,NaN\n-2.0,3.0\n"
    assert "t_0.csv" in answer.headers["Content-Disposition"]


def test_strings_in_csv_are_no_formulas(board):
    board.log_values("run", tensorboard.strings("t", [b"=1+1", b'a,"b"', b"-x"], shape=(3,), plugin="x"))
    board.load()

    answer = board.client.get(
        "/v1/tensors/slice", query_string={"run": board.id_of("run"), "tag": "t", "format": "csv"}
    )

    assert answer.text == '\'=1+1,"a,""b""",\'-x\n'


def test_tensors_without_their_statistics(board, logged):
    run = logged(np.zeros((4, 5), np.float32), np.ones((4, 5), np.float32))

    (series,) = board.get("tensors", run=run, tag="t", statistics="none")["series"]

    assert [(item["dtype"], item["shape"], item["statistics"]) for item in series["items"]] == [
        ("float32", [4, 5], None)
    ] * 2


def test_mindspore_writes_all_numbers_as_floats(board):
    array = np.arange(12, dtype=np.int32).reshape(3, 4)
    event = mindspore.event([mindspore.tensor("t", array)], step=3, wall_time=1.5)
    board.log_records("run/events.out.events.summary.1600000000.0.host_MS", tensorboard.frame(event))
    board.load()

    found = board.get("tensors/slice", run=board.id_of("run"), tag="t")

    assert (found["dtype"], found["step"]) == ("int32", 3)
    assert found["values"] == array.tolist()


def test_tensors_of_the_real_frameworks(corpus, corpus_board):
    compared = 0
    for path in sorted(corpus.rglob("expected.json")):
        run = path.parent.relative_to(corpus).as_posix()
        for tag, written in json.loads(path.read_text("utf-8")).get("tensors", {}).items():
            given = {"run": corpus_board.id_of(run), "tag": tag}
            for item in written:
                spread = corpus_board.get("tensors/histogram", **given, step=item["step"])
                found = corpus_board.get("tensors/slice", **given, step=item["step"])
                assert spread["shape"] == found["shape"] == item["shape"]
                assert spread["statistics"]["sum"] == pytest.approx(item["sum"], rel=1e-6)
                assert sum(spread["counts"]) == math.prod(item["shape"])
                if "first" in item:
                    assert found["values"][0][0] == item["first"]
                compared += 1

    assert compared == 38


def test_a_superseded_tensor_is_found_by_its_time(board):
    for wall_time, number in ((10.0, 1), (20.0, 2)):
        value = tensorboard.tensor("t", np.full((2, 2), number), plugin="x")
        event = tensorboard.event([value], step=3, wall_time=wall_time)
        board.log_records("run/events.out.tfevents.1.host", tensorboard.frame(event))
    board.load()
    place = {"run": board.id_of("run"), "tag": "t", "step": 3}

    assert board.get("tensors/slice", **place)["values"] == [[2, 2], [2, 2]]
    assert board.get("tensors/slice", **place, wall_time=10.0)["values"] == [[1, 1], [1, 1]]
    assert board.get("tensors/slice", **place, wall_time=20.0)["values"] == [[2, 2], [2, 2]]
    assert board.get("tensors/histogram", **place, wall_time=10.0)["statistics"]["mean"] == 1
    assert board.client.get("/v1/tensors/slice", query_string={**place, "wall_time": 15.0}).status_code == 404
    assert board.client.get("/v1/tensors/slice", query_string={**place, "wall_time": "nan"}).status_code == 400
