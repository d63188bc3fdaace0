"""Every example says what it logs and is tried by `make compat`; those that need no framework are run here, too."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.compat.run import ENVIRONMENTS
from tests.conftest import ROOT
from tests.examples.promises import NAMES_ON_BOARD, check, promises

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def test_make_compat_runs_every_example_once() -> None:
    names = [name for environment in ENVIRONMENTS for name in environment.examples]

    assert sorted(names) == [example.stem for example in EXAMPLES]


def test_the_table_of_examples_is_complete() -> None:
    table = (ROOT / "examples" / "README.md").read_text()

    assert sorted(re.findall(r"^\| \[(\w+)\.py\]\(\1\.py\) \|", table, re.MULTILINE)) == [
        example.stem for example in EXAMPLES
    ]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_an_example_says_how_to_run_it_and_what_to_look_at(example: Path) -> None:
    docstring = ast.get_docstring(ast.parse(example.read_text())) or ""

    assert f"    python examples/{example.name}\n    app start --summary-base-dir runs\n" in docstring
    assert all(promise.names and promise.board in NAMES_ON_BOARD for promise in promises(example))


@pytest.mark.parametrize("name", ["plain_python", "two_machines"])
def test_an_example_logs_what_it_promises(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MINDINSIGHT_WORKSPACE", str(tmp_path / "workspace"))

    promises_kept = check(ROOT / "examples" / f"{name}.py")

    assert len(promises_kept) >= 2
    assert "Warning" not in capfd.readouterr().err


def test_a_broken_promise_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MINDINSIGHT_WORKSPACE", str(tmp_path / "workspace"))
    example = tmp_path / "example.py"
    code = 'from mindinsight_like import SummaryWriter\n\nSummaryWriter("runs/a").add_scalar("x", 1, 1)\n'
    example.write_text(f'"""Log a number.\n\nLook at run `a`:\n\n- Scalars: `x`, `y`\n"""\n{code}')

    with pytest.raises(AssertionError, match=r"Scalars of 'a': \['y'\] missing; there are \['x'\]"):
        check(example)
