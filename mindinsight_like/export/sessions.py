"""Export hyper-parameters: one row per session of a run, with its settings and metrics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson

from mindinsight_like.export.documents import plain
from mindinsight_like.export.job import Job
from mindinsight_like.hparams.trials import TrialTable, read_trials, trial_table
from mindinsight_like.tables.scalar_tables import cell


def sessions(format: str, text: Callable[[TrialTable], bytes]) -> Callable[[Job], None]:
    """Writes the sessions of a run into one file; an experiment without any has none."""

    def write(job: Job) -> None:
        trials = read_trials(job.reader, [job.run.id])
        trials.refuse_partial()
        for error in trials.errors.values():
            job.note("", "", error=error)
        if trials.rows:
            name = f"{job.folder}/{job.kind}.{format}"
            with job.output.file(name) as file:
                file.write(text(trials))
            job.note("", "", file=name, count=len(trials.rows))
        job.advance(sum(tag.count for tag in job.tags))

    return write


def as_csv(trials: TrialTable) -> bytes:
    table = trial_table(trials)
    has_value = table.notna().to_numpy()
    rows = [
        [str(value) if is_known else "" for value, is_known in zip(row, here, strict=True)]
        for row, here in zip(table.itertuples(index=False), has_value, strict=True)
    ]
    return "".join(",".join(map(cell, row)) + "\n" for row in [list(table.columns), *rows]).encode()


def as_json(trials: TrialTable) -> bytes:
    content: dict[str, Any] = {"columns": plain(trials.columns), "sessions": plain(trials.rows)}
    return orjson.dumps(content, option=orjson.OPT_INDENT_2) + b"\n"
