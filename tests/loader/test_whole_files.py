"""Files that are one record as a whole: models and the projector's config."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from mindinsight_like.logs.kinds import Kind
from mindinsight_like.writers.encoding import wire

from .logs import Loading, answers, append, assert_same, clean_answers, tensorboard_records, write
from .test_idle import listening

_NODE = wire.blob(1, wire.text(1, "x")) + wire.text(2, "1") + wire.text(3, "ReLU")
MINDSPORE = wire.integer(1, 1) + wire.blob(4, wire.blob(1, _NODE) + wire.text(2, "net"))
PIR = b'{"base_code":{"magic":"pir","trainable":true,"version":4},"program":{"regions":[]}}'
FROZEN = wire.blob(1, wire.text(1, "a/b") + wire.text(2, "Const"))
SETTLED = 4.0  # seconds; a folder that was just made is listed again anyway


def records(loading: Loading, run: str, kind: Kind = Kind.GRAPH) -> dict[str, bytes]:
    """The bytes of the only record of each tag."""
    found = {}
    for series in loading.reader.blobs([loading.id_of(run)], None, kind):
        ((file, offset, length),) = series.references.tolist()
        with loading.reader.blob_bytes([file]) as content:
            found[series.tag] = content.read(file, offset, length)
    return found


@pytest.mark.parametrize(
    ("name", "content", "dialect"),
    [
        ("net.onnx", b"whatever", "onnx"),
        ("net.pdmodel", b"whatever", "paddle"),
        ("net.json", PIR, "paddle"),
        ("vdlgraph.1794790501.log", b"{}", "visualdl"),
        ("ms_output_optimize.pb", MINDSPORE, "mindspore"),
        ("renamed.pb", MINDSPORE, "mindspore"),
        ("frozen.pb", FROZEN, "tensorflow"),
        ("saved_model.pb", b"whatever", "tensorflow"),
    ],
)
def test_a_model_is_one_graph_of_its_folder(
    base_dir: Path, loading: Loading, name: str, content: bytes, dialect: str
) -> None:
    write(base_dir / "run" / name, content, mtime=1_700_000_000.5)

    loading.round()

    (run,) = loading.reader.runs.find()[1]
    assert (run.name, run.dialects, run.counts, run.bytes) == ("run", [dialect], {"graphs": 1}, len(content))
    assert run.updated_at == 1_700_000_000.5
    assert records(loading, "run") == {name: content}
    (series,) = loading.reader.blobs([run.id], None, Kind.GRAPH)
    assert series.steps.tolist() == [0]
    assert series.wall_times.tolist() == [1_700_000_000.5]


def test_a_projector_config_is_an_embedding(base_dir: Path, loading: Loading) -> None:
    write(base_dir / "run/projector_config.pbtxt", b"embeddings {}")

    loading.round()

    assert records(loading, "run", Kind.EMBEDDING) == {"projector_config.pbtxt": b"embeddings {}"}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("steps.json", b'[{"phase": "X", "pid": 1}]'),
        ("steps.json.gz", b"\x1f\x8b no gzip"),
        ("config.json", b'{"base_code": {"magic": "other"}}'),
        ("profile.pb", wire.blob(1, wire.text(2, "/host:CPU") + wire.blob(3, b"\x08\x01"))),
        ("tensor.pb", wire.integer(1, 3) + wire.integer(2, 1) + wire.blob(9, b"1234")),
        ("noise.pb", bytes(range(256))),
        ("short.pb", b"\x0a"),
        ("empty.pb", b""),
    ],
)
def test_other_files_with_such_names_are_left_alone(
    base_dir: Path, loading: Loading, name: str, content: bytes
) -> None:
    write(base_dir / "run" / name, content)

    loading.round()

    assert loading.runs() == []


def test_a_changed_model_is_read_anew_and_a_deleted_one_goes(base_dir: Path, loading: Loading) -> None:
    log = write(base_dir / "run/events.out.tfevents.1.host", tensorboard_records("loss", range(3)))
    model = write(base_dir / "run/net.pb", MINDSPORE, mtime=1_700_000_000)
    loading.round()

    longer = MINDSPORE + wire.integer(3, 1)
    write(model, longer)
    loading.round()
    assert records(loading, "run") == {"net.pb": longer}

    same_size = longer[:-1] + b"\x02"
    write(model, same_size, mtime=1_700_000_001)
    loading.loader.round_over_hot_files()
    loading.restart()
    loading.round()
    assert records(loading, "run") == {"net.pb": same_size}

    model.write_bytes(b"")
    loading.round()
    assert records(loading, "run") == {}

    write(model, MINDSPORE)
    loading.round()
    assert records(loading, "run") == {"net.pb": MINDSPORE}

    model.unlink()
    loading.round()
    assert records(loading, "run") == {}
    log.unlink()
    loading.round()
    assert loading.runs() == []


def test_what_replaces_a_model_under_its_name_is_looked_into(base_dir: Path, loading: Loading) -> None:
    model = write(base_dir / "run/net.json", PIR)
    loading.round()
    assert loading.runs() == ["run"]

    other = write(base_dir / "run/new", b'{"events": []}')
    other.rename(model)
    loading.round()

    assert loading.runs() == []


def test_a_model_that_was_empty_when_it_was_found_is_seen_when_it_is_written(base_dir: Path, loading: Loading) -> None:
    model = write(base_dir / "run/net.pb", b"")
    time.sleep(SETTLED)
    loading.round()  # the folder's time has settled: its listing is kept
    loading.round()
    assert loading.runs() == []

    append(model, MINDSPORE)
    loading.round()

    assert records(loading, "run") == {"net.pb": MINDSPORE}


def test_files_are_looked_into_once(base_dir: Path, loading: Loading) -> None:
    write(base_dir / "run/net.pb", MINDSPORE)
    write(base_dir / "run/trace.json", b'{"traceEvents": []}')
    loading.round()

    with listening() as opened:
        loading.round()
        loading.loader.round_over_hot_files()
        write(base_dir / "run/notes.txt", b"the folder is listed again")
        loading.round()

    assert [path for path in opened if path.endswith((".pb", ".json"))] == []


def test_a_folder_with_very_many_files_to_look_into_holds_data(base_dir: Path, loading: Loading) -> None:
    for place in range(1001):
        write(base_dir / f"annotations/{place}.json", PIR)
    write(base_dir / "annotations/net.onnx", b"a name that tells")

    loading.round()

    assert list(records(loading, "annotations")) == ["net.onnx"]


def test_links_to_models_outside_are_not_looked_into(base_dir: Path, loading: Loading, tmp_path: Path) -> None:
    outside = write(tmp_path / "outside/net.pb", MINDSPORE)
    inside = write(base_dir / "a/net.pb", MINDSPORE)
    for name, target in (("b/net.pb", outside), ("c/net.onnx", outside), ("d/linked.pb", inside)):
        (base_dir / name).parent.mkdir()
        (base_dir / name).symlink_to(target)

    loading.round()

    assert loading.runs() == ["a", "d"]


def test_a_pipe_with_the_name_of_a_model_holds_nothing_up(base_dir: Path, loading: Loading) -> None:
    (base_dir / "run").mkdir()
    os.mkfifo(base_dir / "run/net.pb")
    os.mkfifo(base_dir / "run/net.onnx")

    loading.round()

    assert loading.runs() == []


def test_a_known_model_that_cannot_be_read_for_a_while_stays(
    base_dir: Path, loading: Loading, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(base_dir / "run/net.pb", MINDSPORE)
    loading.round()
    loading.restart()

    with monkeypatch.context() as patched:
        patched.setattr("mindinsight_like.loader.recognition.open_log", _refused)
        loading.round()
        assert loading.runs() == ["run"]
    loading.round()

    assert records(loading, "run") == {"net.pb": MINDSPORE}


def _refused(path: str) -> int:
    raise PermissionError(13, "Permission denied", path)


def test_a_new_index_says_the_same(base_dir: Path, loading: Loading, tmp_path: Path) -> None:
    model = write(base_dir / "run/net.onnx", b"first")
    loading.round()
    append(model, b" and more")
    loading.round()
    loading.restart()
    loading.round()

    assert_same(answers(loading.reader), clean_answers(base_dir, tmp_path / "other"))
