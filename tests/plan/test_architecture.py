"""The table of folders in docs/architecture.md is the import contract, and the contract covers every folder."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.plan.__main__ import MAPPED_FOLDERS, ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:  # pytest brings it for Python 3.10
    import tomli as tomllib

_ROW = re.compile(r"^\| (\d+) \| `([^`]+)` \|", re.MULTILINE)


@pytest.fixture(scope="module")
def layers() -> dict[int, set[str]]:
    """Paths of each layer of the contract; 1 is the lowest."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    rows = next(contract["layers"] for contract in contracts if contract["id"] == "layers")
    return {number: set(map(path_of, row.split(" | "))) for number, row in enumerate(reversed(rows), start=1)}


def path_of(module: str) -> str:
    parts = module.split(".")
    path = Path(*(parts[1:] if parts[1] in MAPPED_FOLDERS else parts))
    return f"{path}/" if (ROOT / path).is_dir() else f"{path}.py"


def test_the_table_of_folders_is_the_contract(layers: dict[int, set[str]]) -> None:
    table: dict[int, set[str]] = {}
    for number, path in _ROW.findall((ROOT / "docs" / "architecture.md").read_text()):
        table.setdefault(int(number), set()).add(path)

    assert table == layers


def test_every_folder_is_in_a_layer(layers: dict[int, set[str]]) -> None:
    outer = [ROOT / "mindinsight_like", ROOT / "profiler", ROOT / "lineage"]
    packages = {f"{init.parent.relative_to(ROOT)}/" for top in outer for init in top.glob("*/__init__.py")}

    assert packages | {"conf/", "scripts/"} <= set().union(*layers.values())
