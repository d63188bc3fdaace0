"""Lineage records of our own: what they hold, and that they are light and safe to write."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import mindinsight_like as mi
from mindinsight_like.writers.surroundings import command_line


def written(path: Path) -> dict[str, object]:
    content = json.loads(path.read_text(encoding="utf-8"))
    assert isinstance(content, dict)
    return content


def test_a_record_holds_what_was_given(tmp_path: Path) -> None:
    run = tmp_path / "runs" / "b"
    path = mi.log_lineage(
        run,
        params={"lr": np.float32(0.5), "layers": [3, 4], "schedule": {"warmup": 10}},
        metrics={"accuracy": np.array(0.75)},
        data={"name": "digits", "samples": 640},
        model={"name": "SmallCnn"},
        parents={
            "resumed from": str(tmp_path / "runs" / "a"),
            "compared with": [str(tmp_path / "x"), str(tmp_path / "y")],
        },
        code={"commit": "abc"},
        environment=False,
    )
    assert path.parent == run
    record = written(path)
    assert record["params"] == {"lr": 0.5, "layers": [3, 4], "schedule": {"warmup": 10}}
    assert record["metrics"] == {"accuracy": 0.75}
    assert record["code"] == {"commit": "abc"}
    assert record["parents"] == [
        {"relation": "resumed from", "run": "../a"},
        {"relation": "compared with", "run": "../../x"},
        {"relation": "compared with", "run": "../../y"},
    ]
    assert "environment" not in record
    assert [each.name for each in run.iterdir()] == [path.name]


def test_each_call_writes_a_record_of_its_own(tmp_path: Path) -> None:
    paths = {mi.log_lineage(tmp_path, params={"step": step}, code=False, environment=False) for step in range(5)}
    assert len(paths) == len(list(tmp_path.iterdir())) == 5


def test_equal_contents_have_equal_hashes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name / "sub").mkdir(parents=True)
        (tmp_path / name / "sub" / "part.bin").write_bytes(b"weights")
    (tmp_path / "other").write_bytes(b"other weights")
    record = written(
        mi.log_lineage(
            tmp_path / "run",
            inputs=[tmp_path / "one", tmp_path / "two", mi.Artifact("imagenet", kind="dataset", hash="v1")],
            outputs=[tmp_path / "other", tmp_path / "one" / "sub" / "part.bin"],
            code=False,
            environment=False,
        )
    )
    one, two, named = record["inputs"]  # type: ignore[misc]
    other, part = record["outputs"]  # type: ignore[misc]
    assert (one["name"], two["name"], part["name"]) == ("../one", "../two", "../one/sub/part.bin")
    assert one["hash"] == two["hash"] != other["hash"]
    assert one["bytes"] == part["bytes"] == 7
    assert named == {"name": "imagenet", "kind": "dataset", "hash": "v1"}


def test_a_missing_artifact_is_an_error_and_leaves_no_record(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        mi.log_lineage(tmp_path / "run", inputs=[tmp_path / "nothing"])
    assert not (tmp_path / "run").exists()


def test_the_code_of_a_git_checkout_is_taken_down(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        "import mindinsight_like as mi\nprint(mi.log_lineage('run', params={'a': 1}))\n# first version\n",
        encoding="utf-8",
    )
    for arguments in (
        ["init", "-q"],
        ["add", "."],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"],
    ):
        subprocess.run(["git", *arguments], cwd=tmp_path, check=True)
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=tmp_path, check=True, capture_output=True, text=True)
    script.write_text(script.read_text(encoding="utf-8").replace("first", "second"), encoding="utf-8")
    command = [sys.executable, "train.py", "--lr", "0.1", "--api-key", "hidden"]
    done = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
    record = written(tmp_path / done.stdout.strip())
    code, environment = record["code"], record["environment"]
    assert isinstance(code, dict) and isinstance(environment, dict)
    assert code["commit"] == head.stdout.strip()
    assert code["is_dirty"] is True
    assert "+# second version" in code["diff"]
    assert code["command"] == "train.py --lr 0.1 --api-key '***'"
    assert environment["python"] == ".".join(map(str, sys.version_info[:3]))


def test_passwords_on_the_command_line_are_left_out() -> None:
    assert (
        command_line(["a.py", "--token=x", "--password", "y", "--lr", "1"])
        == "a.py '--token=***' --password '***' --lr 1"
    )


def test_the_call_is_light(tmp_path: Path) -> None:
    program = (
        "import sys, mindinsight_like as mi\n"
        f"mi.log_lineage({str(tmp_path)!r}, params={{'a': 1}})\n"
        "print([name for name in ('flask', 'pandas', 'numpy', 'pyarrow', 'google.protobuf') if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
