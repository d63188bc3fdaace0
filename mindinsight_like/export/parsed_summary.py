"""Export a run in the layout of MindInsight's `parse_summary`: `scalar.csv` and the folder `image`."""

from __future__ import annotations

from urllib.parse import quote

import pyarrow as pa

from mindinsight_like.export.files import as_png, write_one
from mindinsight_like.export.job import Job
from mindinsight_like.export.names import Namer
from mindinsight_like.export.rows import SCALARS
from mindinsight_like.export.table_files import CsvFile
from mindinsight_like.export.tables import add_curves
from mindinsight_like.items.series import IMAGES

_MOST_LETTERS = 150  # of a quoted tag in a file name
_SCHEMA = pa.schema(zip(("step", "wall_time (unit: seconds)", "value"), SCALARS.types, strict=True))


def _scalars(job: Job) -> None:
    with job.output.file("scalar.csv") as file:
        add_curves(job, CsvFile(file, _SCHEMA, words=("tag",)), "scalar.csv")


def _images(job: Job) -> None:
    names = Namer()
    for series in job.series(IMAGES):
        quoted = quote(series.tag, safe="")
        tag = quoted if len(quoted) <= _MOST_LETTERS and not series.source else job.name_of(series.tag, series.source)
        for item in series.values():
            # Several images of a step, which MindSpore never has, must not replace each other.
            more = f"_{item.index}" if item.index else ""
            write_one(series, item, as_png, f"image/{names.name(f'{tag}_{item.step}{more}')}")


WRITERS = {"scalars": _scalars, "images": _images}
