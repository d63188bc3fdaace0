"""The scanners under test."""

from __future__ import annotations

import importlib
import os

import pytest

from mindinsight_like.logs.reference import scan
from mindinsight_like.logs.reference.scan import Scanner

_TWIN_ONLY = os.environ.get("MINDINSIGHT_TWIN") == "1"


def _native() -> type[Scanner]:
    if _TWIN_ONLY:
        pytest.skip("MINDINSIGHT_TWIN=1 asks for the Python twin alone")
    # A missing module is a failure here: the build leaves it out silently when the compiler fails.
    native: type[Scanner] = importlib.import_module("mindinsight_like.logs._scan").Scanner
    return native


@pytest.fixture(params=["twin", "native"], scope="session")
def scanner_type(request: pytest.FixtureRequest) -> type[Scanner]:
    """Each of the two scanners in turn."""
    return scan.Scanner if request.param == "twin" else _native()


@pytest.fixture(scope="session")
def both_scanners() -> tuple[type[Scanner], type[Scanner]]:
    """The twin and the native scanner, to be compared."""
    return scan.Scanner, _native()
