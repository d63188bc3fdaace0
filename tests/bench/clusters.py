"""How long the view of a thousand ranks takes once they are compared, and what comparing them costs."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from mindinsight_like.store.segments.sealing import number_for, unsealed

from .measurements import Bench
from .report import Row

RANKS = 1000
_ANSWERS = 9
_MEASURES = ("duration", "compute", "communication")
_ANSWER_RATIO = 3.0
_COMPARING_RATIO = 150.0


def clusters(bench: Bench) -> list[Row]:
    """Yardstick: Python's own json reads the answer and writes it again."""
    # Here, not above: the memory of loads, which are measured first, counts from that of this process.
    from mindinsight_like.store.database.location import run_id
    from tests.profiler.served import Served
    from tests.profiler.test_many_ranks import write_rank

    with bench.scratch() as scratch:
        folder = scratch / "runs" / "large"
        folder.mkdir(parents=True)
        for rank in range(RANKS):
            write_rank(folder, rank)
        served = Served(scratch / "runs", scratch / "workspace", profile_jobs=2)
        path = f"/v1/clusters/{run_id('large')}"
        while (answer := served.client.get(path)).status_code == 202:
            time.sleep(0.5)
        assert answer.status_code == 200, answer.text
        answers, yardstick = [], []
        for number in range(_ANSWERS):
            query = {"measure": _MEASURES[number % len(_MEASURES)]}
            begin = time.perf_counter()
            answer = served.client.get(path, query_string=query)
            answers.append(1000 * (time.perf_counter() - begin))
            begin = time.perf_counter()
            json.dumps(json.loads(answer.data))
            yardstick.append(1000 * (time.perf_counter() - begin))
        seconds = float(_result(scratch)["seconds"])
    note = "yardstick: Python's json reads and writes the answer"
    return [
        Row(f"view of {RANKS:,} ranks, compared before", "ms", answers, yardstick,
            ratio_limit=_ANSWER_RATIO, note=note),
        Row(f"{RANKS:,} analysed ranks compared", "ms", [1000 * seconds], yardstick, ratio_limit=_COMPARING_RATIO,
            note="once; same yardstick"),
    ]  # fmt: skip


def _result(scratch: Path) -> dict[str, Any]:
    (result,) = (scratch / "workspace").rglob("jobs/cluster*/result.json")
    status: dict[str, Any] = json.loads(unsealed(result.read_bytes(), number_for(result.parent.name)))
    return status
