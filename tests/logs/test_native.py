"""The compiled modules are really there: the build leaves them out silently when the compiler fails."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES

import pytest

_TWIN_ONLY = os.environ.get("MINDINSIGHT_TWIN") == "1"


@pytest.mark.skipif(_TWIN_ONLY, reason="MINDINSIGHT_TWIN=1 asks for the Python twin")
def test_the_native_modules_are_in_use() -> None:
    from mindinsight_like.logs import _scan, framing, scanner
    from mindinsight_like.store.segments import _curves, curves

    assert scanner.NATIVE
    assert scanner.Scanner is _scan.Scanner
    assert framing.masked_crc32c is _scan.masked_crc32c
    assert (curves.envelope, curves.smooth) == (_curves.envelope, _curves.smooth)
    for module in (_scan, _curves):
        assert module.__file__ is not None
        assert module.__file__.endswith(tuple(EXTENSION_SUFFIXES))


def test_the_twins_take_over_when_asked() -> None:
    code = (
        "from mindinsight_like.logs import framing, scanner\n"
        "from mindinsight_like.logs.reference import crc, scan\n"
        "from mindinsight_like.store.reference import curves as reference\n"
        "from mindinsight_like.store.segments import curves\n"
        "assert not scanner.NATIVE and scanner.Scanner is scan.Scanner\n"
        "assert framing.masked_crc32c is crc.masked_crc32c\n"
        "assert curves.smooth is reference.smooth\n"
    )

    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ | {"MINDINSIGHT_TWIN": "1"})
