"""Every requirement has the one version that `make` installs, on each Python we support."""

from __future__ import annotations

import re
from importlib.metadata import requires
from pathlib import Path

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

FOLDER = Path(__file__).resolve().parents[2] / "requirements"


def lines(name: str) -> list[str]:
    return [line for line in (FOLDER / name).read_text().splitlines() if line and not line.startswith("#")]


@pytest.mark.parametrize("python", ["3.10", "3.11", "3.14"])
def test_requirements_are_locked_to_one_version(python: str) -> None:
    environment = {str(name): str(value) for name, value in default_environment().items()} | {"python_version": python}
    locked: dict[str, list[str]] = {}
    for requirement in map(Requirement, lines("locked.txt")):
        if requirement.marker is None or requirement.marker.evaluate(environment):
            locked.setdefault(canonicalize_name(requirement.name), []).append(str(requirement.specifier))
    ours = [Requirement(text) for text in requires("mindinsight-like") or []]
    needed = {canonicalize_name(requirement.name) for requirement in [*ours, *map(Requirement, lines("tools.txt"))]}

    assert not needed - locked.keys()
    assert all(len(versions) == 1 and re.fullmatch(r"==[^*,]+", versions[0]) for versions in locked.values())
