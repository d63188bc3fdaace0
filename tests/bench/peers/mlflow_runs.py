"""Run inside MLflow's own environment: keep trials in its database, or search them."""

from __future__ import annotations

import json
import sqlite3
import sys
import time
import uuid
from itertools import islice
from pathlib import Path

from mlflow.tracking import MlflowClient


def make(database: Path, trials: Path, count: int) -> None:
    """One run of MLflow for each of the first trials; as rows, since its own calls take a tenth of a second each."""
    client = MlflowClient(f"sqlite:///{database}")
    experiment = int(client.create_experiment("bench"))
    # One run made by MLflow itself shows which columns a run has.
    model = client.create_run(str(experiment))
    client.set_terminated(model.info.run_id)
    connection = sqlite3.connect(database)
    connection.row_factory = sqlite3.Row
    template = dict(connection.execute("SELECT * FROM runs WHERE run_uuid = ?", (model.info.run_id,)).fetchone())
    for number, line in enumerate(islice(trials.open(), count)):
        trial, run = json.loads(line), uuid.uuid4().hex
        row = template | {"run_uuid": run, "name": trial["name"], "start_time": template["start_time"] + number}
        connection.execute(f"INSERT INTO runs ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})", [*row.values()])
        params = [(key, str(value), run) for key, value in trial["params"].items()]
        connection.executemany("INSERT INTO params (key, value, run_uuid) VALUES (?, ?, ?)", params)
        columns = "key, value, timestamp, run_uuid, step, is_nan"
        points = [("accuracy", value, step, run, step, 0) for step, value in enumerate(trial["accuracy"])]
        connection.executemany(f"INSERT INTO metrics ({columns}) VALUES (?, ?, ?, ?, ?, ?)", points)
        last = [(key, value, len(points), run, len(points), 0) for key, value in trial["metrics"].items()]
        connection.executemany(f"INSERT INTO latest_metrics ({columns}) VALUES (?, ?, ?, ?, ?, ?)", last)
    connection.execute("DELETE FROM tags WHERE run_uuid = ?", (model.info.run_id,))
    connection.execute("DELETE FROM runs WHERE run_uuid = ?", (model.info.run_id,))
    connection.commit()
    connection.execute("ANALYZE")
    connection.close()


def search(database: Path, calls: int) -> list[dict[str, float]]:
    """The best hundred trials with Adam and an accuracy above 0.9, with their settings, again and again."""
    client = MlflowClient(f"sqlite:///{database}")
    [experiment] = [each.experiment_id for each in client.search_experiments() if each.name == "bench"]
    taken = []
    for _ in range(calls):
        wall, cpu = time.perf_counter(), time.process_time()
        query = "metrics.accuracy > 0.9 and params.optimizer = 'Adam'"
        page = client.search_runs([experiment], query, max_results=100, order_by=["metrics.accuracy DESC"])
        best = page[0].data
        assert best.params["optimizer"] == "Adam"
        taken.append({
            "wall_seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu,
            "found": len(page), "best": best.metrics["accuracy"],
        })  # fmt: skip
    return taken


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4]))
    else:
        print(json.dumps(search(Path(sys.argv[2]), int(sys.argv[3]))))
