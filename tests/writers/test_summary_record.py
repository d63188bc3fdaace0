"""SummaryRecord writes what MindSpore's writes; tests/compat/mindspore compares them value by value."""

from __future__ import annotations

import io
import logging
import math
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import PIL.Image
import pytest

from mindinsight_like import SummaryRecord
from mindinsight_like.logs.kinds import Dialect, Kind, parse_key
from mindinsight_like.logs.names import classify
from mindinsight_like.logs.scanner import Scanner

from .mindspore_messages import Message, lineage_events, summary_events, tensor, values

_SCALAR, _IMAGE, _TENSOR, _HISTOGRAM, _LANDSCAPE = 3, 4, 8, 9, 10


@pytest.fixture
def record(tmp_path: Path) -> Iterator[SummaryRecord]:
    with SummaryRecord(tmp_path / "run") as record:
        yield record


def _written(record: SummaryRecord, plugin: str, value: Any, field: int) -> Any:
    """What stands in the file for a value."""
    record.add_value(plugin, "tag", value)
    assert record.record(1)
    record.flush()
    return values(Path(record.log_dir).parent, field)["tag"][1]


class MindSporeTensor:
    """Looks like a tensor of MindSpore."""

    def __init__(self, values: Any) -> None:
        self._values = np.asarray(values)
        self.shape, self.dtype = self._values.shape, self._values.dtype

    def asnumpy(self) -> Any:
        return self._values


class TestScalars:
    @pytest.mark.parametrize(
        "value",
        [0.5, 2, True, np.float64(0.25), np.array([[3]]), MindSporeTensor([1.5]), [4.0], math.inf, -math.inf, 1e300],
    )
    def test_any_single_number_is_taken(self, record: SummaryRecord, value: Any) -> None:
        expected = value.asnumpy() if isinstance(value, MindSporeTensor) else value
        with np.errstate(over="ignore"):
            number = np.float32(np.asarray(expected).item())

        assert _written(record, "scalar", value, _SCALAR) == number

    def test_the_scanner_finds_every_point(self, record: SummaryRecord, tmp_path: Path) -> None:
        for step in range(100):
            record.add_value("scalar", "loss", step / 2)
            record.add_value("scalar", "accuracy", -step)
            record.record(step)
        record.close()
        scanner = Scanner(Dialect.MINDSPORE)
        content = Path(record.log_dir).read_bytes()

        assert scanner.feed(content, at_end=True) == len(content)
        batch = scanner.take()

        assert [parse_key(key).tag for key in batch.keys] == ["loss", "accuracy"]
        assert batch.values.tolist() == [step / 2 for step in range(100)] + [-step for step in range(100)]
        assert not batch.damage

    @pytest.mark.parametrize(("value", "error"), [("0.5", TypeError), ([1, 2], ValueError), (1j, TypeError)])
    def test_what_is_not_one_number_is_refused(self, record: SummaryRecord, value: Any, error: type[Exception]) -> None:
        with pytest.raises(error, match="scalar 'loss'"):
            record.add_value("scalar", "loss", value)


class TestTensors:
    @pytest.mark.parametrize(
        ("dtype", "number"),
        [("bool", 1), ("int64", 5), ("uint8", 6), ("float16", 10), ("float32", 11), ("float64", 12)],
    )
    def test_they_keep_shape_values_and_type(self, record: SummaryRecord, dtype: str, number: int) -> None:
        array = np.arange(6).reshape(2, 3).astype(dtype)

        content = _written(record, "tensor", array, _TENSOR)

        assert tensor(content).tolist() == array.astype(np.float32).tolist()
        assert Message(content)[2] == number

    def test_later_changes_do_not_reach_the_file(self, record: SummaryRecord) -> None:
        array = np.zeros(3, np.float32)
        record.add_value("tensor", "t", array)
        array[:] = 7
        record.record(1)
        record.close()

        assert tensor(values(Path(record.log_dir).parent, _TENSOR)["t"][1]).tolist() == [0, 0, 0]

    def test_they_are_exported_on_demand(self, tmp_path: Path) -> None:
        with SummaryRecord(tmp_path, export_options={"tensor_format": "npy"}) as record:
            record.add_value("tensor", "a/b", np.arange(3, dtype=np.int64))
            record.record(12)

        (path,) = tmp_path.glob("export_*/tensor/*.npy")
        assert path.name == "a%2Fb_12.npy"
        assert np.load(path).tolist() == [0, 1, 2]

    def test_complex_numbers_are_refused(self, record: SummaryRecord) -> None:
        with pytest.raises(TypeError, match="tensor 't': expected real numbers"):
            record.add_value("tensor", "t", np.zeros(2, complex))


class TestImages:
    @staticmethod
    def _pixels(content: bytes) -> Any:
        message = Message(content)
        pixels = np.asarray(PIL.Image.open(io.BytesIO(message[4])))
        assert (message[1], message[2], message[3]) == pixels.shape
        return pixels

    def test_shares_of_brightness_are_multiplied(self, record: SummaryRecord) -> None:
        array = np.zeros((1, 3, 2, 4))
        array[0, 1, 1, 2] = 1.0

        pixels = self._pixels(_written(record, "image", array, _IMAGE))

        assert pixels.shape == (2, 4, 3)
        assert pixels[1, 2].tolist() == [0, 255, 0] and pixels.sum() == 255

    @pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.float32])
    def test_other_values_are_stretched_as_mindspore_does_it(self, record: SummaryRecord, dtype: Any) -> None:
        array = np.array([10, 20, 30, 61], dtype).reshape(1, 1, 2, 2)

        pixels = self._pixels(_written(record, "image", array, _IMAGE))

        assert pixels[:, :, 0].tolist() == [[0, 10 * 255 // 52], [20 * 255 // 52, 51 * 255 // 52]]

    def test_batches_are_laid_out_in_rows_of_eight(self, record: SummaryRecord) -> None:
        array = np.linspace(0, 1, 9)[:, None, None, None] * np.ones((9, 1, 2, 3))

        pixels = self._pixels(_written(record, "image", array, _IMAGE))

        assert pixels.shape == (4, 24, 3)
        assert pixels[0, ::3, 0].tolist() == [int(share * 255) for share in np.linspace(0, 1, 9)[:8]]
        assert pixels[2, 0, 0] == 255 and pixels[2, 3:].sum() == 0

    @pytest.mark.parametrize("shape", [(5, 4), (1, 5, 4), (3, 5, 4), (5, 4, 3), (5, 4, 1), (2, 3, 5, 4)])
    def test_single_pictures_are_taken_in_every_order(self, record: SummaryRecord, shape: tuple[int, ...]) -> None:
        height, width, _ = self._pixels(_written(record, "image", np.zeros(shape), _IMAGE)).shape

        assert (height, width) == ((5, 8) if len(shape) == 4 else (5, 4))

    @pytest.mark.parametrize("shape", [(3,), (2, 4, 5, 6), (5, 4, 2), (1, 3, 0, 2), (1, 1, 3, 4, 5)])
    def test_other_shapes_are_refused(self, record: SummaryRecord, shape: tuple[int, ...]) -> None:
        with pytest.raises(ValueError, match=r"NCHW, CHW, HWC or HW .* not the shape"):
            record.add_value("image", "p", np.zeros(shape))

    def test_what_is_not_finite_is_dark(self, record: SummaryRecord) -> None:
        array = np.array([np.nan, np.inf, 1.0, 0.5]).reshape(1, 1, 2, 2)

        assert self._pixels(_written(record, "image", array, _IMAGE))[:, :, 0].tolist() == [[0, 0], [255, 127]]


class TestHistograms:
    @pytest.mark.parametrize(
        ("count", "bins"), [(1, 2), (5, 2), (6, 3), (10, 3), (11, 2), (100, 11), (880, 89), (881, 90), (5000, 90)]
    )
    def test_the_number_of_values_decides_on_the_bins(self, record: SummaryRecord, count: int, bins: int) -> None:
        numbers = np.arange(count, dtype=np.float32)

        histogram = Message(_written(record, "histogram", numbers, _HISTOGRAM))

        buckets = histogram.messages(1)
        assert len(buckets) == bins
        assert sum(bucket[3] for bucket in buckets) == histogram[8] == count
        assert (histogram[6], histogram[5], histogram[7]) == (0, count - 1, numbers.sum())

    def test_what_is_not_finite_is_counted_apart(self, record: SummaryRecord) -> None:
        numbers = np.array([1, 2, np.nan, np.nan, np.inf, -np.inf, -np.inf, -np.inf])

        histogram = Message(_written(record, "histogram", numbers, _HISTOGRAM))

        assert [histogram[field] for field in (2, 3, 4, 8)] == [2, 1, 3, 8]
        assert [histogram[field] for field in (5, 6, 7)] == [2, 1, 3]

    @pytest.mark.parametrize("numbers", [np.array([np.nan, np.inf]), np.zeros(0)])
    def test_nothing_finite_has_no_buckets(self, record: SummaryRecord, numbers: Any) -> None:
        histogram = Message(_written(record, "histogram", numbers, _HISTOGRAM))

        assert 1 not in histogram and 5 not in histogram
        assert histogram[8] == numbers.size


class TestLandscapes:
    def test_mappings_become_messages(self, record: SummaryRecord) -> None:
        x, y = np.linspace(-1, 1, 3), np.linspace(-2, 2, 2)
        path = (np.array([0.5, 0.0]), np.array([0.25, 0.0]), np.array([2.0, 1.0]))
        value = {
            "x": x,
            "y": y,
            "z": np.arange(6).reshape(2, 3),
            "path": path,
            "intervals": [4, 8],
            "convergence_point": (0.0, 0.0, 1.0),
            "unit": "epoch",
            "step_per_epoch": 16,
        }

        landscape = Message(_written(record, "landscape", value, _LANDSCAPE))

        assert [tensor(landscape.message(1)[axis]).tolist() for axis in (1, 2)] == [x.tolist(), y.tolist()]
        assert tensor(landscape.message(1)[3]).tolist() == [[0, 1, 2], [3, 4, 5]]
        assert landscape.message(2).all(1) == [4, 8]
        assert tensor(landscape.message(2, 2)[3]).tolist() == [2, 1]
        assert (landscape.message(3)[2], landscape.message(3)[3]) == (b"epoch", 16)
        assert tensor(landscape.message(4)[3]).tolist() == [1]

    def test_axes_must_fit(self, record: SummaryRecord) -> None:
        with pytest.raises(ValueError, match="z must have 2 rows"):
            record.add_value("landscape", "l", {"x": [0, 1, 2], "y": [0, 1], "z": np.zeros((3, 2))})


class TestGraphs:
    GRAPH = {  # noqa: RUF012 - it is not changed
        "name": "net",
        "nodes": [
            {
                "name": "1",
                "op_type": "Conv2D",
                "scope": "Default/conv",
                "inputs": ["x"],
                "control_inputs": ["0"],
                "attributes": {"pad": [1, 2], "mode": "same", "group": 1, "bias": True, "scale": 0.5, "none": None},
                "shape": [2, 3],
                "dtype": "float16",
            }
        ],
        "parameters": [{"name": "x", "shape": [4], "dtype": np.dtype("int32")}],
        "outputs": [{"name": "1"}],
        "constants": {"c": 3},
    }

    def test_mappings_become_messages(self, record: SummaryRecord) -> None:
        record.add_value("graph", "g", self.GRAPH)
        record.record(5)
        record.flush()

        (event,) = summary_events(Path(record.log_dir).parent)
        graph = event.message(4)
        node = graph.message(1)

        assert 2 not in event  # a graph belongs to no step
        assert [(source[1], source[2]) for source in node.messages(1)] == [(b"x", 0), (b"0", 1)]
        assert [node[field] for field in (2, 3, 4, 8)] == [
            b"1",
            b"Conv2D",
            b"Default/conv",
            b"Default/conv/Conv2D-op1",
        ]
        attributes = {attribute[1].decode(): attribute.message(2) for attribute in node.messages(5)}
        assert [entry[3] for entry in attributes["pad"].messages(18)] == [1, 2]
        assert (attributes["mode"][7], attributes["group"][3], attributes["bias"][2]) == (b"same", 1, 1)
        assert (attributes["scale"][5], attributes["none"][1]) == (0.5, 34)
        assert node.message(6, 2)[1] == 10
        assert [size[1] for size in node.message(6, 2, 2).messages(1)] == [2, 3]
        assert (graph.message(3)[1], graph.message(3, 2, 2)[1]) == (b"x", 4)
        assert (graph.message(4)[1], graph.message(5)[1]) == (b"1", b"c")

    def test_models_and_graphs_are_told_apart(self, record: SummaryRecord) -> None:
        graph = b"\x12\x03net"  # GraphProto { name: "net" }
        model = b"\x08\x01\x22" + bytes([len(graph)]) + graph  # ModelProto { ir_version: 1 graph: .. }
        for content in (graph, model):
            record.add_value("graph", "g", content)
            record.record(1)
        record.flush()

        assert [event[4] for event in summary_events(Path(record.log_dir).parent)] == [graph, graph]

    @pytest.mark.parametrize(
        ("value", "message"),
        [
            (b"\xff\xff", "protobuf message"),
            ({"nodes": [{"name": "1"}]}, "lacks 'op_type'"),
            ({"edges": []}, "unknown keys"),
            ({"nodes": [{"name": "1", "op_type": "A", "dtype": "text", "shape": []}]}, "unknown dtype"),
            (b"\x08\x01", "contains no graph"),
        ],
    )
    def test_what_is_no_graph_is_refused(self, record: SummaryRecord, value: Any, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            record.add_value("graph", "g", value)


class TestFiles:
    def test_names_and_the_folder_are_those_of_mindspore(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("RANK_ID", "3")
        with SummaryRecord(str(tmp_path / "new" / "folder"), file_prefix="mine", file_suffix="_x_MS") as record:
            record.add_value("scalar", "a", 1)
            record.add_value("custom_lineage_data", "", {"a": 1})
            record.record(1)

        summary, lineage = sorted(
            (tmp_path / "new" / "folder").glob("*.summary.*"), key=lambda path: path.name.endswith("_lineage")
        )
        assert record.log_dir == str(summary)
        assert summary.name.startswith("mine.out.events.summary.")
        assert summary.name.endswith(f".3.{platform.node()}_x_MS")
        assert lineage.name == summary.name.replace("_x_MS", "_lineage")
        for path, dialect in ((summary, Dialect.MINDSPORE), (lineage, Dialect.MINDSPORE_LINEAGE)):
            name = classify(path.name)
            assert name is not None and (name.dialect, name.rank) == (dialect, 3)

    def test_those_without_records_do_not_stay(self, tmp_path: Path) -> None:
        with SummaryRecord(tmp_path / "none") as record:
            record.record(1)
        with SummaryRecord(tmp_path / "lineage") as record:
            record.add_value("eval_lineage", "", {"metrics": {"acc": 1}})
            record.record(1)

        assert list((tmp_path / "none").iterdir()) == []
        assert [path.name.endswith("_lineage") for path in (tmp_path / "lineage").iterdir()] == [True]

    def test_processes_that_begin_together_keep_apart(self, tmp_path: Path) -> None:
        program = (
            "import sys, time; from mindinsight_like import SummaryRecord\n"
            "time.sleep(max(0, float(sys.argv[2]) - time.time()))\n"
            "with SummaryRecord(sys.argv[1]) as record:\n"
            "    record.add_value('scalar', 'a', 1); record.record(1); time.sleep(0.2)\n"
        )
        together = str(time.time() + 1.0)
        processes = [
            subprocess.Popen([sys.executable, "-c", program, str(tmp_path), together], env={**os.environ, "RANK": ""})
            for _ in range(4)
        ]

        assert [process.wait() for process in processes] == [0] * 4
        assert len(list(tmp_path.glob("*.summary.*"))) == 4
        assert len(summary_events(tmp_path)) == 4

    def test_several_records_of_one_second_keep_apart(self, tmp_path: Path) -> None:
        records = [SummaryRecord(tmp_path) for _ in range(3)]
        for number, record in enumerate(records):
            record.add_value("scalar", "number", number)
            record.record(number)
            record.close()

        assert len(list(tmp_path.glob("*.summary.*"))) == 3
        assert values(tmp_path, _SCALAR)["number"] == {0: 0, 1: 1, 2: 2}

    def test_they_stop_growing_at_their_limit(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        with caplog.at_level(logging.WARNING), SummaryRecord(tmp_path, max_file_size=500) as record:
            for step in range(100):
                record.add_value("scalar", "loss", step)
                record.record(step)

        assert 400 < Path(record.log_dir).stat().st_size <= 500
        assert list(values(tmp_path, _SCALAR)["loss"]) == list(range(len(summary_events(tmp_path))))
        assert caplog.text.count("has reached its limit") == 1

    @pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
    def test_a_forked_process_has_files_of_its_own(self, tmp_path: Path) -> None:
        program = (
            "import os, sys; from mindinsight_like import SummaryRecord\n"
            "record = SummaryRecord(sys.argv[1])\n"
            "def write(value):\n"
            "    record.add_value('scalar', 'who', value); record.add_value('eval_lineage', '', {}); record.record(1)\n"
            "write(1)\n"
            "child = os.fork()\n"
            "write(2 if child else 3)\n"
            "record.close()\n"
            "if child: os.waitpid(child, 0)\n"
        )
        subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=True)

        names = [path.name for path in tmp_path.iterdir()]
        assert [name.endswith("_MS") for name in names].count(True) == 2
        assert [name.endswith("_lineage") for name in names].count(True) == 2
        found = [value[_SCALAR] for event in summary_events(tmp_path) for value in event.message(5).messages(1)]
        assert sorted(found) == [1, 2, 3]


class TestCalls:
    def test_arguments_of_every_version_are_taken_in_their_order(self, tmp_path: Path) -> None:
        r03 = SummaryRecord(tmp_path / "a", 10, 60, "first", "_one_MS", None)
        r20 = SummaryRecord(tmp_path / "b", "second", "_two_MS", None, 4096, False, None)
        r21 = SummaryRecord(tmp_path / "c", "third", "_three_MS", 8, None, 4096)

        assert [Path(record.log_dir).name.split(".")[0] for record in (r03, r20, r21)] == ["first", "second", "third"]
        assert [record.log_dir.endswith(end) for record, end in ((r03, "_one_MS"), (r20, "_two_MS"))] == [True, True]
        for record in (r03, r20, r21):
            record.close()

    @pytest.mark.parametrize(
        ("arguments", "error"),
        [
            ({"file_prefix": 3}, TypeError),
            ({"file_suffix": "a/b"}, ValueError),
            ({"file_suffix": "_lineage"}, ValueError),
            ({"max_file_size": "1 GB"}, TypeError),
            ({"export_options": {"tensor_format": "csv"}}, ValueError),
            ({"export_options": {"scalar_format": "npy"}}, ValueError),
            ({"export_options": "npy"}, TypeError),
        ],
    )
    def test_bad_arguments_are_refused(self, tmp_path: Path, arguments: Any, error: type[Exception]) -> None:
        with pytest.raises(error):
            SummaryRecord(tmp_path, **arguments)

    def test_values_of_one_record_share_an_event_and_the_newest_wins(self, record: SummaryRecord) -> None:
        record.add_value("scalar", "a", 1)
        record.add_value("scalar", "a", 2)
        record.add_value("histogram", "a", [1.0, 2.0])
        record.record(7)
        record.record(8)
        record.flush()

        (event,) = summary_events(Path(record.log_dir).parent)
        assert event[2] == 7
        assert [value[1] for value in event.message(5).messages(1)] == [b"a", b"a"]
        assert values(Path(record.log_dir).parent, _SCALAR) == {"a": {7: 2}}

    def test_plugins_can_be_filtered(self, record: SummaryRecord) -> None:
        for plugin in ("scalar", "tensor"):
            record.add_value(plugin, "a", 1)
        record.record(1, plugin_filter=lambda plugin: plugin != "tensor")
        record.flush()

        folder = Path(record.log_dir).parent
        assert values(folder, _SCALAR) and not values(folder, _TENSOR)

    @pytest.mark.parametrize("step", [1.5, "1", None])
    def test_steps_are_whole_numbers(self, record: SummaryRecord, step: Any) -> None:
        with pytest.raises(TypeError):
            record.record(step)

    def test_unknown_plugins_modes_and_empty_names_are_refused(self, record: SummaryRecord) -> None:
        for call, message in (
            (lambda: record.add_value("video", "a", 1), "expected one of scalar"),
            (lambda: record.add_value("scalar", "", 1), "non-empty"),
            (lambda: record.set_mode("test"), "'train' or 'eval'"),
        ):
            with pytest.raises(ValueError, match=message):
                call()
        record.set_mode("eval")

    def test_nothing_is_recorded_once_closed(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        record = SummaryRecord(tmp_path)
        record.close()
        record.close()

        assert not record.record(1)
        record.flush()
        assert "has been closed" in caplog.text
        with pytest.raises(ValueError, match="has been closed"), record:
            pass

    def test_lineage_does_not_disturb_what_waits(self, record: SummaryRecord) -> None:
        record.add_value("scalar", "a", 1)
        record.record_lineage("eval_lineage", {"metrics": {}})
        record.record(4)
        record.flush()

        folder = Path(record.log_dir).parent
        assert len(lineage_events(folder)) == 1
        assert values(folder, _SCALAR) == {"a": {4: 1}}

    def test_kinds_are_found_by_the_scanner(self, record: SummaryRecord) -> None:
        record.add_value("image", "p", np.zeros((2, 2)))
        record.add_value("histogram", "h", np.zeros(3))
        record.add_value("tensor", "t", np.zeros(3))
        record.add_value("landscape", "l", {"x": [0], "y": [0], "z": [[1]]})
        record.add_value("graph", "g", {"nodes": []})
        record.record(1)
        record.close()
        scanner = Scanner(Dialect.MINDSPORE)
        scanner.feed(Path(record.log_dir).read_bytes(), at_end=True)

        kinds = {parse_key(key).kind for key in scanner.take().keys}

        assert kinds == {Kind.IMAGE, Kind.HISTOGRAM, Kind.TENSOR, Kind.LANDSCAPE, Kind.GRAPH}


def test_scalars_alone_need_neither_numpy_nor_anything_else(tmp_path: Path) -> None:
    program = (
        "import sys; from mindinsight_like import SummaryRecord\n"
        "with SummaryRecord(sys.argv[1]) as record:\n"
        "    record.add_value('scalar', 'a', 0.5); record.add_value('train_lineage', '', {'epoch': 1})\n"
        "    record.record(1)\n"
        "print(*sorted({name.split('.')[0] for name in sys.modules}\n"
        "      & {'numpy', 'pandas', 'flask', 'google', 'PIL', 'mindspore', 'pyarrow'}))\n"
    )

    answer = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True)

    assert answer.stdout.strip() == ""
    assert values(tmp_path, _SCALAR) == {"a": {1: 0.5}}
