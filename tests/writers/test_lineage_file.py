"""Lineage records of our own: what they hold, and that they are light and safe to write."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import types
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import mindinsight_like as mi
from mindinsight_like.writers.lineage.environment import command_line

LOGGING = "import mindinsight_like as mi\nprint(mi.log_lineage('run'))\n"


def written(path: Path) -> dict[str, object]:
    content = json.loads(path.read_text(encoding="utf-8"))
    assert isinstance(content, dict)
    return content


def commit_all(folder: Path) -> str:
    for arguments in (
        ["init", "-q"],
        ["add", "."],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"],
    ):
        subprocess.run(["git", *arguments], cwd=folder, check=True)
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=folder, check=True, capture_output=True, text=True)
    return head.stdout.strip()


def code_of(command: list[str], folder: Path) -> dict[str, object]:
    """What a record of a program that is started there holds of its code."""
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    found = written(folder / done.stdout.strip())["code"]
    assert isinstance(found, dict)
    return found


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
    one, two, named = cast(list[dict[str, Any]], record["inputs"])
    other, part = cast(list[dict[str, Any]], record["outputs"])
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
    commit = commit_all(tmp_path)
    script.write_text(script.read_text(encoding="utf-8").replace("first", "second"), encoding="utf-8")
    command = [sys.executable, "train.py", "--lr", "0.1", "--api-key", "hidden"]
    done = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
    record = written(tmp_path / done.stdout.strip())
    code, environment = record["code"], record["environment"]
    assert isinstance(code, dict) and isinstance(environment, dict)
    assert code["commit"] == commit
    assert code["is_dirty"] is True
    assert "+# second version" in code["diff"]
    assert code["command"] == "train.py --lr 0.1 --api-key '***'"
    assert environment["python"] == ".".join(map(str, sys.version_info[:3]))


def test_a_script_that_was_never_added_is_part_of_the_changes(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text("# known\n", encoding="utf-8")
    commit = commit_all(tmp_path)
    (tmp_path / "train.py").write_text(LOGGING, encoding="utf-8")
    (tmp_path / "notes.txt").write_text("nobody's business", encoding="utf-8")

    code = code_of([sys.executable, "train.py"], tmp_path)

    assert code["commit"] == commit and code["is_dirty"] is True
    assert "+++ b/train.py" in str(code["diff"]) and "+import mindinsight_like as mi" in str(code["diff"])
    assert "nobody's business" not in str(code["diff"])


def test_a_program_installed_elsewhere_belongs_to_the_checkout_it_is_started_in(tmp_path: Path) -> None:
    (tmp_path / "programs").mkdir()
    program = tmp_path / "programs" / "train"
    program.write_text(LOGGING, encoding="utf-8")
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "settings.yaml").write_text("lr: 0.1\n", encoding="utf-8")
    commit = commit_all(tmp_path / "work")

    code = code_of([sys.executable, str(program)], tmp_path / "work")

    assert code["commit"] == commit and code["is_dirty"] is False


def test_outside_git_there_is_the_command_alone(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(LOGGING, encoding="utf-8")

    code = code_of([sys.executable, "train.py"], tmp_path)

    assert code["command"] == "train.py" and "commit" not in code and "diff" not in code


def test_a_module_that_raises_when_looked_at_stops_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Lazy(types.ModuleType):
        def __getattr__(self, name: str) -> object:
            raise ImportError("not installed")

    monkeypatch.setitem(sys.modules, "lazy_module", Lazy("lazy_module"))
    record = written(mi.log_lineage(tmp_path / "run", code=False))
    assert "packages" in record["environment"]  # type: ignore[operator]


def test_one_artifact_needs_no_list(tmp_path: Path) -> None:
    data = tmp_path / "digits.npz"
    data.write_bytes(b"digits")
    record = written(
        mi.log_lineage(tmp_path / "run", inputs=str(data), outputs=mi.Artifact("m"), code=False, environment=False)
    )
    assert [each["name"] for each in record["inputs"]] == ["../digits.npz"]  # type: ignore[attr-defined]
    assert record["outputs"] == [{"name": "m"}]


def test_names_and_texts_of_any_kind_can_be_written(tmp_path: Path) -> None:
    params = {"stages": {0: {(3, 3): "conv"}}, "file": "bad\udcff.npz", "名称": "训练"}
    record = written(mi.log_lineage(tmp_path / "run", params=params, code=False, environment=False))
    assert record["params"] == {"stages": {"0": {"(3, 3)": "conv"}}, "file": "bad\udcff.npz", "名称": "训练"}


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("--token=x --password y --lr 1", "--token=*** --password *** --lr 1"),
        ("--hf_token x --wandb-api-key y --pwd z", "--hf_token *** --wandb-api-key *** --pwd ***"),
        ("--tokenizer gpt2 --max-tokens=512 --author me", "--tokenizer gpt2 --max-tokens=512 --author me"),
        ("--store postgresql://me:pw@host/runs", "--store postgresql://host/runs"),
        ("--model hf_abcdefghijklmnopqrstuvwx", "--model ***"),
        ("trainer.logger.api_key=x data.path=y", "trainer.logger.api_key=*** data.path=y"),
    ],
)
def test_passwords_on_the_command_line_are_left_out(given: str, shown: str) -> None:
    assert shlex.split(command_line(["a.py", *given.split()])) == ["a.py", *shown.split()]


def test_the_call_is_light(tmp_path: Path) -> None:
    program = (
        "import sys, mindinsight_like as mi\n"
        f"mi.log_lineage({str(tmp_path)!r}, params={{'a': 1}})\n"
        "print([name for name in ('flask', 'pandas', 'numpy', 'pyarrow', 'google.protobuf') if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
