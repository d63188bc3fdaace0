"""`app export` on logs made here: choices, names, formats, and what must never happen to files."""

from __future__ import annotations

import csv
import io
import json
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import PIL.Image
import pytest

from mindinsight_like.scripts.cli import main
from mindinsight_like.writers.encoding import tensorboard
from mindinsight_like.writers.encoding.images import png

START = 1_750_000_000.25


class Logs:
    """A folder of logs, and the command over it."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.base = folder / "logs"
        self.base.mkdir()
        self.out = folder / "out"
        self._folder = folder
        self._capsys = capsys

    def log(self, run: str, step: int, *values: bytes, number: int = 0) -> Path:
        folder = self.base / run
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / tensorboard.file_name(START + number, host="host")
        with path.open("ab") as log:
            log.write(tensorboard.frame(tensorboard.event(values, step=step, wall_time=START + step)))
        return path

    def words(self, *words: object) -> list[str]:
        place = ["--summary-base-dir", self.base, "--workspace", self._folder / "w", "--output", self.out]
        return ["export", *map(str, [*place, *words])]

    def export(self, *words: object) -> dict[str, Any]:
        """What the manifest says after an export that went well."""
        code = main(self.words(*words))
        shown = self._capsys.readouterr()
        assert code == 0, shown.err
        manifest: dict[str, Any] = json.loads((self.out / "export.json").read_text("utf-8"))
        return manifest

    def refusal(self, *words: object) -> str:
        code = main(self.words(*words))
        message = self._capsys.readouterr().err
        assert code == 1
        assert message.count("\n") == 1, message
        return message

    def files(self) -> list[str]:
        return sorted(path.relative_to(self.out).as_posix() for path in self.out.rglob("*") if path.is_file())


@pytest.fixture
def logs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Logs:
    return Logs(tmp_path, capsys)


def picture(shade: int, size: tuple[int, int] = (4, 3)) -> bytes:
    return png(np.full((size[1], size[0], 3), shade, np.uint8))


def image(tag: str, shade: int) -> bytes:
    return tensorboard.image(tag, picture(shade), width=4, height=3)


def scalars(logs: Logs, run: str, tag: str, values: Sequence[float]) -> None:
    for step, value in enumerate(values):
        logs.log(run, step, tensorboard.double_scalar(tag, value))


def test_scalars_read_back_as_the_very_same_numbers(logs: Logs) -> None:
    values = [0.1, 1 / 3, 1e300, -0.0, float("nan"), float("inf"), float("-inf"), 5e-324]
    scalars(logs, "a", "loss", values)

    logs.export("--kind", "scalars", "--format", "csv")
    header, *rows = csv.reader((logs.out / "a/scalars.csv").read_text().splitlines())
    logs.export("--kind", "scalars", "--format", "parquet", "--force")
    table = pd.read_parquet(logs.out / "a/scalars.parquet")

    assert header == ["run", "tag", "source", "step", "wall_time", "value"]
    assert [row[:4] for row in rows] == [["a", "loss", "", str(step)] for step in range(len(values))]
    assert [float(row[4]) for row in rows] == [START + step for step in range(len(values))]
    assert np.array([float(row[5]) for row in rows]).tobytes() == np.array(values).tobytes()
    assert list(table.columns) == header
    assert table["value"].to_numpy().tobytes() == np.array(values).tobytes()
    assert table["step"].tolist() == list(range(len(values)))
    logs.export("--kind", "scalars", "--format", "npz", "--force")
    with np.load(logs.out / "a" / "scalars" / "loss.npz") as arrays:
        assert np.array_equal(arrays["value"], values, equal_nan=True)
        assert arrays["step"].dtype == np.int64
    logs.export("--kind", "scalars", "--format", "json", "--force")
    (series,) = json.loads((logs.out / "a" / "scalars.json").read_text())["series"]
    assert series["value"] == [*values[:4], "NaN", "Infinity", "-Infinity", values[-1]]


def test_runs_are_chosen_by_name_pattern_or_expression(logs: Logs) -> None:
    for run in ("lenet/a", "lenet/b", "resnet/a"):
        scalars(logs, run, "loss", [1.0])

    def chosen(*words: str) -> set[str]:
        return {entry["run"] for entry in logs.export("--force", *words)["entries"]}

    assert chosen() == {"lenet/a", "lenet/b", "resnet/a"}
    assert chosen("--run", "lenet/a") == {"lenet/a"}
    assert chosen("--run", "lenet/*") == {"lenet/a", "lenet/b"}
    assert chosen("--run", "(le|res)net/a") == {"lenet/a", "resnet/a"}
    assert chosen("--run", "lenet/b", "--run", "resnet/*") == {"lenet/b", "resnet/a"}
    assert "lenet/a" in logs.refusal("--force", "--run", "lenet/aa")


def test_tags_and_kinds_are_chosen(logs: Logs) -> None:
    logs.log("a", 0, tensorboard.scalar("train/loss", 1), tensorboard.scalar("val/loss", 2), image("val/(x)", 9))

    def chosen(*words: str) -> set[tuple[str, str]]:
        return {(entry["kind"], entry["tag"]) for entry in logs.export("--force", *words)["entries"]}

    assert chosen("--tag", "loss$") == {("scalars", "train/loss"), ("scalars", "val/loss")}
    assert chosen("--tag", "^val/") == {("scalars", "val/loss"), ("images", "val/(x)")}
    assert chosen("--tag", "val/(x)") == {("images", "val/(x)")}  # a tag's own name, though it is a pattern too
    assert chosen("--kind", "images") == {("images", "val/(x)")}
    assert chosen("--format", "csv") == {("scalars", "train/loss"), ("scalars", "val/loss")}
    assert chosen("--kind", "scalars", "--kind", "images", "--format", "csv", "--format", "png") == {
        ("scalars", "train/loss"), ("scalars", "val/loss"), ("images", "val/(x)"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--kind", "images", "--format", "csv"], "original or png"),
        (["--kind", "pictures"], "scalars, images"),
        (["--format", "xlsx"], "xlsx"),
        (["--tag", "("], "regular expression"),
        (["--tag", "nothing"], "nothing to export"),
        (["--kind", "audio"], "nothing to export"),
        (["--run", "nobody"], "nobody"),
    ],
)
def test_what_cannot_be_exported_is_said_and_nothing_is_written(logs: Logs, words: list[str], said: str) -> None:
    scalars(logs, "a", "loss", [1.0])

    assert said in logs.refusal(*words)
    assert not logs.out.exists()


def test_a_folder_without_runs(logs: Logs) -> None:
    assert "no runs" in logs.refusal()


def test_images_get_a_file_each_that_the_manifest_names(logs: Logs) -> None:
    logs.log("a", 3, image("x/y", 10))
    logs.log("a", 12, image("x/y", 20))

    entries = logs.export("--kind", "images")["entries"]

    assert [(entry["tag"], entry["step"], entry["index"]) for entry in entries] == [("x/y", 3, 0), ("x/y", 12, 0)]
    assert logs.files() == ["a/images/x_y/00000003.png", "a/images/x_y/00000012.png", "export.json"]
    assert [(logs.out / entry["file"]).read_bytes() for entry in entries] == [picture(10), picture(20)]


def test_jpeg_stays_as_it_is_or_becomes_png(logs: Logs) -> None:
    jpeg = io.BytesIO()
    PIL.Image.new("RGB", (8, 6), (200, 10, 10)).save(jpeg, "JPEG")
    logs.log("a", 0, tensorboard.image("x", jpeg.getvalue(), width=8, height=6))

    logs.export()
    original = (logs.out / "a/images/x/00000000.jpg").read_bytes()
    logs.export("--format", "png", "--force")

    assert original == jpeg.getvalue()
    assert PIL.Image.open(logs.out / "a/images/x/00000000.png").format == "PNG"


def test_names_stay_inside_the_folder_and_apart(logs: Logs) -> None:
    tags = [
        "../../evil", "..", ".", "/etc/passwd", "a/b", "a_b", "A_B", "con", "x" * 1000, "x" * 1000 + "y", "é",
        "e\u0301", "深い", "tab\there", "-rf", "%2F", " ", "a\\b", "nul.txt",
    ]  # fmt: skip
    for place, tag in enumerate(tags):
        logs.log("a", 0, image(tag, place))

    entries = logs.export()["entries"]

    assert {entry["tag"] for entry in entries} == set(tags)
    found = {entry["tag"]: (logs.out / entry["file"]).resolve() for entry in entries}
    assert all(path.is_relative_to(logs.out.resolve()) for path in found.values())
    assert len({str(path).casefold() for path in found.values()}) == len(tags)
    for place, tag in enumerate(tags):
        assert found[tag].read_bytes() == picture(place), tag


def test_runs_whose_names_look_alike_stay_apart(logs: Logs) -> None:
    for number, run in enumerate(("a/b", "a_b", "A/B", "a/images")):
        scalars(logs, run, "loss", [float(number)])

    entries = logs.export("--format", "csv")["entries"]

    assert len({entry["file"].casefold() for entry in entries}) == 4
    for entry in entries:
        table = pd.read_csv(logs.out / entry["file"])
        assert table["run"].tolist() == [entry["run"]]


def test_nothing_is_overwritten_unasked(logs: Logs) -> None:
    scalars(logs, "a", "loss", [1.0])
    logs.out.mkdir()
    (logs.out / "mine.txt").write_text("precious")

    refused = logs.refusal()
    logs.export("--force")
    again = logs.refusal()

    assert "--force" in refused
    assert "--force" in again
    assert (logs.out / "mine.txt").read_text() == "precious"


def test_the_output_may_not_be_a_file(logs: Logs) -> None:
    scalars(logs, "a", "loss", [1.0])
    logs.out.write_text("a file")

    assert str(logs.out) in logs.refusal()


def test_a_value_that_cannot_be_read_costs_only_itself(logs: Logs) -> None:
    logs.log("a", 0, tensorboard.image("x", b"no picture", width=1, height=1))
    logs.log("a", 1, image("x", 7))

    entries = logs.export()["entries"]

    assert [entry.get("error") for entry in entries] == ["not a PNG, JPEG or GIF file", None]
    assert (logs.out / entries[1]["file"]).read_bytes() == picture(7)


def test_texts_in_every_format(logs: Logs) -> None:
    texts = ["plain", 'with "quotes", commas\nand lines', "=1+1", "深い"]
    for step, text in enumerate(texts):
        logs.log("a", step, tensorboard.text("notes", text))

    logs.export("--format", "json")
    (series,) = json.loads((logs.out / "a/texts.json").read_text("utf-8"))["series"]
    logs.export("--format", "csv", "--force")
    logs.export("--format", "parquet", "--force")
    logs.export("--format", "txt", "--force")

    assert [item["text"] for item in series["items"]] == texts
    # What a spreadsheet would run as a formula is marked as text.
    assert pd.read_csv(logs.out / "a/texts.csv")["text"].tolist() == [*texts[:2], "'=1+1", texts[3]]
    assert pd.read_parquet(logs.out / "a/texts.parquet")["text"].tolist() == texts
    files = [logs.out / f"a/texts/notes_text_summary/0000000{step}.txt" for step in range(4)]
    assert [file.read_text("utf-8") for file in files] == texts


def test_histograms_in_every_format(logs: Logs) -> None:
    for step in range(3):
        values = np.random.default_rng(step).normal(size=100)
        counts, edges = np.histogram(values, 7)
        logs.log(
            "a", step, tensorboard.histogram("w", edges.tolist(), counts.tolist(), total=values.sum(), sum_squares=0.0)
        )

    logs.export("--kind", "histograms")
    wide = pd.read_parquet(logs.out / "a/histograms.parquet")
    logs.export("--kind", "histograms", "--format", "csv", "--force")
    buckets = pd.read_csv(logs.out / "a/histograms.csv")
    logs.export("--kind", "histograms", "--format", "npz", "--force")
    arrays = np.load(logs.out / "a/histograms/w.npz")

    assert wide["count"].tolist() == [100.0] * 3
    assert [len(edges) for edges in wide["edges"]] == [8, 8, 8]
    assert buckets.groupby("step")["bucket_count"].sum().tolist() == [100.0] * 3
    assert np.allclose(buckets["right"][:6], buckets["left"][1:7])
    assert arrays["edges_lengths"].tolist() == [8, 8, 8]
    assert np.array_equal(arrays["counts"], np.concatenate(wide["counts"]))


def test_tensors_by_step_with_strings(logs: Logs) -> None:
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    logs.log("a", 5, tensorboard.tensor("t", array, plugin="mine"))
    logs.log("a", 7, tensorboard.strings("t", [b"x", b"yz"], shape=(2,), plugin="mine"))

    logs.export("--kind", "tensors")
    with np.load(logs.out / "a/tensors/t.npz") as arrays:
        assert np.array_equal(arrays["5"], array)
        assert arrays["7"].tolist() == [b"x", b"yz"]
        assert arrays["steps"].tolist() == [5, 7]
    entries = logs.export("--kind", "tensors", "--format", "npy", "--force")["entries"]
    assert np.array_equal(np.load(logs.out / entries[0]["file"]), array)
    assert "strings" in entries[1]["error"]
    logs.export("--kind", "tensors", "--format", "csv", "--force")
    assert pd.read_csv(logs.out / "a/tensors.csv")["shape"].tolist() == ["2 x 3", "2"]


def test_what_a_resumed_training_wrote_again_is_there_on_request(logs: Logs) -> None:
    scalars(logs, "a", "loss", [1.0, 2.0, 3.0])
    for step, value in ((1, 20.0), (2, 30.0)):
        logs.log("a", step, tensorboard.double_scalar("loss", value), number=100)

    logs.export("--format", "csv")
    latest = pd.read_csv(logs.out / "a/scalars.csv")["value"].tolist()
    logs.export("--format", "csv", "--resume", "all", "--force")

    assert latest == [1.0, 20.0, 30.0]
    assert sorted(pd.read_csv(logs.out / "a/scalars.csv")["value"]) == [1.0, 2.0, 3.0, 20.0, 30.0]


def test_images_of_a_step_written_twice_both_stay(logs: Logs) -> None:
    for number, shade in ((0, 10), (100, 20)):
        for step in range(3):
            logs.log("a", step, image("x", shade + step), number=number)

    entries = logs.export("--resume", "all")["entries"]

    assert len({entry["file"] for entry in entries}) == 6
    assert {(logs.out / entry["file"]).read_bytes() for entry in entries} == {
        picture(shade + step) for shade in (10, 20) for step in range(3)
    }


def test_the_folder_itself_may_be_a_run(logs: Logs) -> None:
    scalars(logs, ".", "loss", [1.0])

    (entry,) = logs.export("--format", "csv")["entries"]

    assert (entry["run"], entry["file"]) == (".", "logs/scalars.csv")


def write_points(logs: Logs, run: str, tag: str, count: int) -> None:
    head = tensorboard.scalar_head(tag)
    folder = logs.base / run
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / tensorboard.file_name(START, host="h", process=len(tag))).open("ab") as log:
        for step in range(count):
            log.write(tensorboard.frame(tensorboard.scalar_event(head, step / 7, step, START + step)))


def test_a_million_points_take_little_memory(logs: Logs) -> None:
    for tag in ("a", "bb", "ccc", "dddd"):
        write_points(logs, "a", tag, 250_000)
    code = (
        "import resource, sys; from mindinsight_like.scripts.cli import main; code = main(sys.argv[1:]);"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss); sys.exit(code)"
    )

    def peak(*words: object) -> int:
        done = subprocess.run(
            [sys.executable, "-c", code, *logs.words(*words)], capture_output=True, text=True, check=True, timeout=120
        )
        return int(done.stdout.split()[-1])

    little = peak("--tag", "^a$", "--format", "csv", "--force")
    much = peak("--format", "csv", "--force")

    with (logs.out / "a/scalars.csv").open() as text:
        assert sum(1 for _ in text) == 1_000_001
    assert much - little < 60_000, (little, much)  # kilobytes; the rows together have more than 100 MB as objects


def test_killed_at_any_moment_no_half_file_has_its_name(logs: Logs) -> None:
    write_points(logs, "a", "loss", 300_000)
    for step in range(400):
        logs.log("b", step, image("x", step % 256))
    words = ["--format", "csv", "--format", "png"]
    logs.export(*words)
    sizes = {name: (logs.out / name).stat().st_size for name in logs.files() if name != "export.json"}
    kept = 0
    for files in (1, 2, 50, 200):
        logs.out = logs.out.with_name(f"out-{files}")
        command = [sys.executable, "-m", "mindinsight_like", *logs.words(*words)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE)
        while process.poll() is None and len(logs.files()) < files:
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        named = [name for name in logs.files() if not name.endswith(".part") and name != "export.json"]
        assert all((logs.out / name).stat().st_size == sizes[name] for name in named)
        kept += 0 < len(named) < len(sizes)

        logs.export(*words, "--force")
        again = {name: (logs.out / name).stat().st_size for name in logs.files() if name != "export.json"}
        assert again == sizes  # nothing unfinished is left, either
    assert kept, "every export was killed before its first file or after its last"


def test_a_full_disk_is_said_in_one_line(logs: Logs) -> None:
    write_points(logs, "a", "loss", 100_000)

    def limited() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2**20, 2**20))

    assert main(logs.words("--format", "json")) == 0  # the index is there now; only the export meets the limit
    logs.out = logs.out.with_name("small")
    done = subprocess.run(
        [sys.executable, "-m", "mindinsight_like", *logs.words("--format", "csv")],
        capture_output=True, text=True, preexec_fn=limited, timeout=60,
    )  # fmt: skip

    assert done.returncode == 1
    assert "cannot write" in done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    assert [name for name in logs.files() if name.endswith((".csv", ".json"))] == []


def test_a_running_service_keeps_serving(logs: Logs, service: Callable[..., Any], tmp_path: Path) -> None:
    scalars(logs, "a", "loss", [1.0, 2.0])
    started = service(logs.base, workspace=tmp_path / "w")

    entries = logs.export("--format", "csv")["entries"]

    assert [entry["count"] for entry in entries] == [2]
    assert started.json("/v1/runs")["total"] == 1


def test_files_are_the_users_own(logs: Logs) -> None:
    scalars(logs, "a", "loss", [1.0])

    logs.export("--format", "csv")

    assert (logs.out / "a/scalars.csv").stat().st_mode & 0o077 == 0


def test_parse_summary_does_what_mindinsights_did(logs: Logs, tmp_path: Path) -> None:
    logs.log(".", 1, tensorboard.scalar("loss", 0.5), image("x/y", 1))
    logs.log(".", 2, tensorboard.scalar("loss", 0.25), image("x/y", 2))
    logs.log("below", 1, tensorboard.scalar("other", 1))

    words = ["parse_summary", "--summary-dir", logs.base, "--output", tmp_path / "o", "--workspace", tmp_path / "w"]
    assert main([*map(str, words)]) == 0

    (folder,) = (tmp_path / "o").iterdir()
    assert folder.name.startswith("output_")
    assert (folder / "scalar.csv").read_text().splitlines() == [
        "tag,step,wall_time (unit: seconds),value",
        f"loss,1,{START + 1},0.5",
        f"loss,2,{START + 2},0.25",
    ]
    assert sorted(path.name for path in (folder / "image").iterdir()) == ["x%2Fy_1.png", "x%2Fy_2.png"]
    assert (folder / "image" / "x%2Fy_2.png").read_bytes() == picture(2)


def test_parse_summary_of_a_folder_without_logs(logs: Logs, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["parse_summary", "--summary-dir", logs.base, "--output", tmp_path / "o", "--workspace", tmp_path / "w"]

    assert main([*map(str, words)]) == 1
    assert "no log files" in capsys.readouterr().err
    assert not (tmp_path / "o").exists()
