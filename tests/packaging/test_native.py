"""The compiled modules are really in use where tests run, unless the twins were asked for."""

from __future__ import annotations

import os

from mindinsight_like.logs import scanner
from mindinsight_like.profiler.training import slices
from mindinsight_like.store.segments import curves


def test_the_compiled_modules_are_loaded() -> None:
    expected = os.environ.get("MINDINSIGHT_TWIN") != "1"

    hint = "install gcc and Python's headers (python3-dev), then: make .venv/.installed -B"
    assert expected == scanner.NATIVE, hint
    assert expected == curves.envelope.__module__.endswith("._curves"), hint
    assert expected == slices.Slice.__module__.endswith("._slices"), hint
