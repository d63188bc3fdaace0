"""Import paths of MindInsight's documents work under our package's name; misspelt names fail a type check."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
_CODE_BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
_IMPORT = re.compile(r"^\s*(?:from|import) mindinsight\b.*", re.MULTILINE)


@pytest.fixture(scope="session")
def documents() -> list[Path]:
    """The documents that this product was made from; they are kept beside the repository."""
    folder = Path(os.environ.get("SPEC", ROOT.parent / "shared" / "spec"))
    if not folder.is_dir():
        pytest.skip("no documents of MindInsight: set SPEC to their folder")
    return sorted(folder.glob("mindinsight-*.md"))


def test_every_import_of_the_documents_works_under_our_name(documents: list[Path]) -> None:
    statements = [
        statement.replace("mindinsight", "mindinsight_like", 1)
        for document in documents
        for block in _CODE_BLOCK.findall(document.read_text())
        for statement in _IMPORT.findall(block)
    ]

    subprocess.run([sys.executable, "-c", "\n".join(statements)], check=True, timeout=60)

    assert len(statements) >= 2


@pytest.mark.parametrize("module", ["mindinsight_like.lineagemgr", "mindinsight_like.lineage", "mindinsight_like"])
def test_lineage_names_are_the_same_objects_everywhere(module: str) -> None:
    names = "TrainLineage, EvalLineage, get_summary_lineage, filter_summary_lineage"
    program = (
        f"from {module} import {names}\n"
        "from mindinsight_like.writers.mindspore import mindspore_callbacks\n"
        "from mindinsight_like.dataframes import mindinsight_api\n"
        "assert TrainLineage is mindspore_callbacks.TrainLineage and EvalLineage is mindspore_callbacks.EvalLineage\n"
        "assert get_summary_lineage is mindinsight_api.get_summary_lineage\n"
        "assert filter_summary_lineage is mindinsight_api.filter_summary_lineage\n"
    )

    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("mindinsight_like", "SumaryWriter"),
        ("mindinsight_like.profiler", "Profilr"),
        ("mindinsight_like.lineage", "TrainLinage"),
    ],
)
def test_a_misspelt_name_fails_the_type_check(module: str, name: str, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(f"import {module} as m\n\nm.{name}\n")

    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", "-p", "script"],
        cwd=ROOT,
        env=os.environ | {"MYPYPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=300,
    )

    assert f'Module has no attribute "{name}"' in checked.stdout, checked.stdout + checked.stderr


def test_names_of_a_package_can_be_listed() -> None:
    import mindinsight_like

    assert {"open", "SummaryWriter", "Profiler"} <= set(dir(mindinsight_like))
