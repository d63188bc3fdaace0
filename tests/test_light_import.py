"""Training scripts pay only for what they use: the import, and scalars, load nothing that is not Python's own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

RECORD = {
    "nothing": "",
    "SummaryWriter": "with mi.SummaryWriter(folder) as writer: writer.add_scalar('loss', 0.5, 1)",
    "LogWriter": "with mi.LogWriter(folder) as writer: writer.add_scalar('loss', 0.5, 1)",
    "Profiler": "profiler = mi.Profiler(folder)\nwith profiler.op('work'): profiler.step()\nprofiler.stop()",
    "SummaryRecord": "with mi.SummaryRecord(folder) as log: log.add_value('scalar', 'loss', 0.5); log.record(1)",
}


@pytest.mark.parametrize("writer", RECORD)
def test_recording_scalars_loads_only_the_standard_library(writer: str, tmp_path: Path) -> None:
    program = f"""
import sys
known = set(sys.modules)
import mindinsight_like as mi
folder = {str(tmp_path)!r}
{RECORD[writer]}
loaded = {{name.partition('.')[0] for name in set(sys.modules) - known}}
others = loaded - sys.stdlib_module_names - {{'mindinsight_like'}}
print(*sorted(name for name in others if 'cython' not in name))  # our compiled scanner brings these along
"""

    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)

    assert answer.stdout.strip() == ""
    assert writer == "nothing" or [path for path in tmp_path.rglob("*") if path.is_file()]


def test_analysing_a_profile_loads_neither_pandas_nor_the_service(tmp_path: Path) -> None:
    program = f"""
import sys
from mindinsight_like import Profiler
with Profiler({str(tmp_path)!r}) as profiler, profiler.op("work"):
    pass
print(*{{"flask", "pandas", "pyarrow", "sqlite3", "orjson"}} & set(sys.modules), file=sys.stderr)
"""

    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)

    assert answer.stderr.strip() == ""
    assert list(tmp_path.glob("analysis/*/operators_by_type.csv"))
