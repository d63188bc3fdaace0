"""Exports of hyper-parameters: a row per session of a run, with its settings and the metrics it reached."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson

from mindinsight_like.boards.scalar_tables import cell
from mindinsight_like.export.documents import plain
from mindinsight_like.export.job import Job
from mindinsight_like.trials import TrialTable, read_trials, trial_table


def sessions(format: str, text: Callable[[TrialTable], bytes]) -> Callable[[Job], None]:
    """Writes the sessions of a run into one file; an experiment without any has none."""

    def write(job: Job) -> None:
        found = read_trials(job.reader, [job.run.id])
        for error in found.errors.values():
            job.note("", "", error=error)
        if found.rows:
            name = f"{job.folder}/{job.kind}.{format}"
            with job.output.file(name) as file:
                file.write(text(found))
            job.note("", "", file=name, count=len(found.rows))
        job.advance(sum(tag.count for tag in job.tags))

    return write


def as_csv(found: TrialTable) -> bytes:
    table = trial_table(found)
    known = table.notna().to_numpy()
    rows = [
        [str(value) if is_known else "" for value, is_known in zip(row, here, strict=True)]
        for row, here in zip(table.itertuples(index=False), known, strict=True)
    ]
    return "".join(",".join(map(cell, row)) + "\n" for row in [list(table.columns), *rows]).encode()


def as_json(found: TrialTable) -> bytes:
    content: dict[str, Any] = {"columns": plain(found.columns), "sessions": plain(found.rows)}
    return orjson.dumps(content, option=orjson.OPT_INDENT_2) + b"\n"
