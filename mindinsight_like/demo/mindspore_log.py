"""Record a training with SummaryRecord."""

from __future__ import annotations

from pathlib import Path

from mindinsight_like.demo.content import images
from mindinsight_like.demo.content.graphs import mindspore_graph
from mindinsight_like.demo.content.landscapes import landscape
from mindinsight_like.demo.dating import NewFiles, restamp
from mindinsight_like.demo.training.plans import Plan
from mindinsight_like.demo.training.training import ARMS, BATCH, HELD_OUT, TRAIN, Moment, Outcome
from mindinsight_like.writers.mindspore.lineage_events import EvalInfo, TrainInfo
from mindinsight_like.writers.mindspore.summary_record import SummaryRecord

_STEPS_PER_EPOCH = TRAIN // BATCH
_DATASET = {
    "op_type": "Batch",
    "batch_size": BATCH,
    "drop_remainder": True,
    "children": [
        {
            "op_type": "Map",
            "input_columns": ["point"],
            "operations": [{"tensor_op_name": "Rescale", "tensor_op_params": {"rescale": 1.0, "shift": 0.0}}],
            "children": [
                {
                    "op_type": "NumpySlicesDataset",
                    "column_names": ["point", "arm"],
                    "sampler": {"sampler_name": "RandomSampler", "replacement": True, "num_samples": TRAIN},
                    "children": [],
                }
            ],
        }
    ],
}


class MindsporeLog:
    """Writes every kind of data that MindInsight shows."""

    def __init__(self, folder: Path, plan: Plan, started: float) -> None:
        self._plan = plan
        self._started = self._ended = started
        self._files = NewFiles(folder)
        self._record = SummaryRecord(folder)
        self._summary_times = [started]  # the first event says only what the file is
        self._lineage_times: list[float] = []
        self._add("graph", "network", mindspore_graph(hidden=plan.hidden, classes=ARMS, batch=BATCH))
        self._add("dataset_graph", "dataset", _DATASET)
        self._add("custom_lineage_data", "parameters", {"data": "spirals", "seed": plan.seed})
        self._write(0, started, summary=1, lineage=2)

    def write(self, moment: Moment, *, wall_time: float) -> None:
        """Record everything the moment holds."""
        for tag, value in moment.scalars.items():
            self._add("scalar", tag, value)
        for tag, weights in moment.weights.items():
            self._add("histogram", tag, weights)
        if moment.view is not None:
            self._add("image", "eval/regions", images.regions(moment.view))
            self._add("image", "eval/arms", images.class_maps(moment.view))
            self._add("tensor", "eval/confusion", moment.view.confusion)
            self._add("tensor", "output/weight", moment.weights["output/weight"])
        self._write(moment.step, wall_time, summary=1)

    def conclude(self, outcome: Outcome, *, wall_time: float) -> None:
        """Record what is known only at the end."""
        plan = self._plan
        size = sum(values.nbytes for values in outcome.weights.values())
        trained = TrainInfo(
            network="Spirals",
            optimizer=plan.optimiser.capitalize(),
            learning_rate=plan.rate,
            loss_function="SoftmaxCrossEntropyWithLogits",
            loss=outcome.train_loss,
            epoch=-(-outcome.step // _STEPS_PER_EPOCH),
            batch_size=BATCH,
            parallel_mode="stand_alone",
            device_num=1,
            train_dataset_path="spirals/train",
            train_dataset_size=TRAIN,
            model_path=f"spirals-{outcome.step}.ckpt",
            model_size=size,
        )
        metrics = {"loss": outcome.held_out.loss, "accuracy": outcome.held_out.accuracy}
        self._add("train_lineage", "training", trained)
        self._add("eval_lineage", "evaluation", EvalInfo(metrics, "spirals/held_out", HELD_OUT))
        self._write(outcome.step, wall_time, lineage=2)
        steps = list(outcome.way)
        if outcome.view is not None and len(steps) > 2:
            # MindSpore's names: the first and the last step of an interval, or only the last step of all.
            middle = {step: outcome.way[step] for step in steps[: len(steps) // 2 + 1]}
            self._add("landscape", f"landscape_{[steps[0], list(middle)[-1]]}", landscape(middle, outcome.examples))
            self._add("landscape", f"landscape_{[steps[-1]]}", landscape(outcome.way, outcome.examples))
            self._write(0, wall_time, summary=1)

    def flush(self) -> None:
        """Let readers see what was recorded."""
        self._record.flush()

    def close(self) -> None:
        """End the log."""
        self._record.close()

    def set_back(self) -> None:
        """Make the closed log look as if it had been written at the wall times it was told."""
        summary = Path(self._record.log_dir)
        restamp(summary, self._summary_times)
        restamp(summary.with_name(summary.name.removesuffix("_MS") + "_lineage"), self._lineage_times)
        self._files.set_back(started=self._started, ended=self._ended)

    def _add(self, plugin: str, name: str, value: object) -> None:
        self._record.add_value(plugin, name, value)

    def _write(self, step: int, wall_time: float, *, summary: int = 0, lineage: int = 0) -> None:
        """Record what was added, which makes so many events in either file."""
        self._ended = wall_time
        self._record.record(step)
        self._summary_times += [wall_time] * summary
        self._lineage_times += [wall_time] * lineage
