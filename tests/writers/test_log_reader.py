"""`LogReader` gives what VisualDL's writers recorded, in the form of VisualDL's own reader."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from mindinsight_like import LogReader, LogWriter


@pytest.fixture
def everything(corpus: Path) -> Path:
    (log,) = (corpus / "visualdl-2.5" / "everything").glob("vdlrecords*")
    return log


def test_one_file_names_its_components_and_tags(everything: Path) -> None:
    tags = LogReader(file_path=everything).get_tags()

    assert tags["scalar"] == ["all/scalar"]
    assert tags["image"] == ["all/image", "all/matrix", "all/figure"]
    assert set(tags) == {
        *("scalar", "scalars", "image", "histogram", "text", "audio", "embeddings"),
        *("pr_curve", "roc_curve", "hyper_parameters", "meta_data"),
    }


def test_values_have_the_attributes_of_the_original_messages(everything: Path) -> None:
    expected = json.loads((everything.parent / "expected.json").read_text())
    reader = LogReader(file_path=everything)

    scalars = reader.get_data("scalar", "all/scalar")
    histograms = reader.get_histogram("all%hist")
    curves = [value.pr_curve for value in reader.get_pr_curve("all/pr/class_1")]
    points = reader.get_embedding("all/emb_two")[0].embeddings
    (audio,) = (value.audio for value in reader.get_audio("all/tone"))

    assert [[value.id, value.value] for value in scalars] == expected["scalars"]["all/scalar"]
    assert [
        {
            "step": value.id,
            "count": sum(value.histogram.hist),
            "min": value.histogram.bin_edges[0],
            "max": value.histogram.bin_edges[-1],
        }
        for value in histograms
    ] == expected["histograms"]["all/hist"]
    assert [curve.TP[0] for curve in curves] == [
        curve["positives"] for curve in expected["pr_curves"]["all/pr/class_1"]
    ]
    assert (len(points.embeddings), len(points.embeddings[0].vectors), points.label_meta) == (15, 3, ["word", "group"])
    assert (audio.sample_rate, audio.length_frames) == (8000.0, 1600)


def test_a_folder_has_runs_with_rows(corpus: Path) -> None:
    folder = corpus / "visualdl-2.5"
    expected = json.loads((folder / "everything" / "expected.json").read_text())
    run = os.fspath(folder / "everything")
    reader = LogReader(os.fspath(folder))

    rows = reader.get_log_data("scalar", run, "all%scalar")
    group = reader.get_log_data("scalars", run, "all/pair")

    assert run in reader.runs()
    assert {"scalar", "embeddings", "hyper_parameters"} <= reader.components()
    assert reader.tags()[f"{run}/all%scalar"] == "scalar"
    assert reader.tags2name[run] == "everything"
    assert [[step, value] for step, _, _, value in rows] == expected["scalars"]["all/scalar"]
    assert all(tag == "all/scalar" and stamp > 10**12 for _, tag, stamp, _ in rows)
    assert [[step, value] for step, _, sub, _, value in group if sub == "cos"] == expected["subtag_scalars"][
        "all/pair/cos"
    ]


def test_seconds_of_the_oldest_version_become_milliseconds(corpus: Path) -> None:
    (log,) = (corpus / "visualdl-2.0" / "basics").glob("vdlrecords*")
    reader = LogReader(file_path=log)

    stamps = [value.timestamp for tag in reader.get_tags()["scalar"] for value in reader.get_data("scalar", tag)]

    assert min(stamps) > 10**12


def test_unknown_tags_have_no_values_and_unknown_runs_raise(tmp_path: Path) -> None:
    with LogWriter(tmp_path) as writer:
        name = writer.file_name

    assert LogReader(file_path=name).get_data("scalar", "nothing") == []
    with pytest.raises(KeyError, match="no run"):
        LogReader(os.fspath(tmp_path)).get_log_data("scalar", "elsewhere", "loss")
    with pytest.raises(FileNotFoundError):
        LogReader(file_path=tmp_path / "vdlrecords.missing.log")
    with pytest.raises(RuntimeError, match="file_path"):
        LogReader(os.fspath(tmp_path)).get_tags()


def test_a_growing_log_is_read_on(tmp_path: Path) -> None:
    with LogWriter(tmp_path) as writer:
        reader = LogReader(file_path=writer.file_name)
        seen = []
        for step in range(3):
            writer.add_scalar("loss", 1.0, step)
            writer.add_text("note", str(step), step)
            writer.flush()
            seen.append((len(reader.get_data("scalar", "loss")), len(reader.get_data("text", "note"))))

    assert seen == [(1, 1), (2, 2), (3, 3)]


def test_a_run_of_several_files_is_read_whole(tmp_path: Path) -> None:
    for step in range(3):
        with LogWriter(tmp_path) as writer:
            writer.add_scalar("loss", 1.0, step)

    rows = LogReader(os.fspath(tmp_path)).get_log_data("scalar", os.fspath(tmp_path), "loss")

    assert sorted(row[0] for row in rows) == [0, 1, 2]


def test_damage_costs_only_what_is_damaged(tmp_path: Path) -> None:
    with LogWriter(tmp_path) as writer:
        for step in range(100):
            writer.add_scalar("loss", 1.0, step)
        log = Path(writer.file_name)
    content = bytearray(log.read_bytes())
    content[len(content) // 2 : len(content) // 2 + 20] = bytes(20)
    log.write_bytes(content + b"\x30\0\0\0\0\0\0\0half")

    values = LogReader(file_path=log).get_data("scalar", "loss")

    assert 95 <= len(values) < 100


def test_several_folders_can_be_read_at_once(tmp_path: Path) -> None:
    folders = [os.fspath(tmp_path / name) for name in ("a", "b")]
    for folder in folders:
        with LogWriter(folder) as writer:
            writer.add_scalar("loss", 1.0, 0)

    assert LogReader(folders).runs() == folders
