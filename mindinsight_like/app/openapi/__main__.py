"""Print the OpenAPI document; needs no running service: `python -m mindinsight_like.app.openapi > openapi.json`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import orjson

from mindinsight_like.app.application import create_app
from mindinsight_like.app.openapi.document import describe
from mindinsight_like.conf.settings import Settings


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        app = create_app(Settings(workspace=Path(folder) / "workspace", summary_base_dir=Path(folder)))
        document = describe(app)
    sys.stdout.buffer.write(orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))


if __name__ == "__main__":
    main()
