"""Writers live in training processes: importing them must drag nothing in."""

import subprocess
import sys


def test_writers_import_no_third_party_module() -> None:
    program = (
        "import sys, mindinsight_like.writers.encoding.tensorboard, mindinsight_like.writers.encoding.mindspore, "
        "mindinsight_like.writers.encoding.visualdl, mindinsight_like.writers.files.record_file; "
        "print(*sorted({name.split('.')[0] for name in sys.modules} "
        "& {'numpy', 'pandas', 'flask', 'google', 'pyarrow', 'orjson', 'msgspec'}))"
    )

    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert answer.stdout.strip() == ""
