"""Record a training with LogWriter."""

from __future__ import annotations

from pathlib import Path

from mindinsight_like.demo.content import audio, figures, images, texts
from mindinsight_like.demo.content.views import View
from mindinsight_like.demo.dating import NewFiles
from mindinsight_like.demo.training.plans import Plan
from mindinsight_like.demo.training.training import ARMS, Moment, Outcome
from mindinsight_like.writers.visualdl.log_writer import LogWriter

_BUCKETS = 30
_THRESHOLDS = 50


class VisualdlLog:
    """Writes every kind of data that VisualDL shows, except graphs, which its calls take from paddle only."""

    def __init__(self, folder: Path, plan: Plan, started: float) -> None:
        self._started = self._ended = started
        self._files = NewFiles(folder)
        self._writer = LogWriter(folder, display_name=folder.name)
        self._writer.add_text("parameters", texts.description(plan), 0, _milliseconds(started))
        self._writer.add_hparams(texts.parameters(plan), ["eval/loss", "eval/accuracy"], _milliseconds(started))

    def write(self, moment: Moment, *, wall_time: float) -> None:
        """Record everything the moment holds."""
        self._ended = wall_time
        writer, step, at, scalars = self._writer, moment.step, _milliseconds(wall_time), moment.scalars
        for tag, value in scalars.items():
            writer.add_scalar(tag, value, step, at)
        if "eval/loss" in scalars:
            losses = {"train": scalars["train/loss"], "eval": scalars["eval/loss"]}
            writer.add_scalars("loss", losses, step, at)
        for tag, weights in moment.weights.items():
            writer.add_histogram(tag, weights, step, at, _BUCKETS)
        if moment.view is not None:
            self._write_view(moment.view, step, at)

    def _write_view(self, view: View, step: int, at: float) -> None:
        writer = self._writer
        writer.add_image("eval/regions", images.regions(view), step, at)
        writer.add_image_matrix("eval/arms", list(images.class_maps(view)), step, walltime=at, dataformats="CHW")
        for arm in range(ARMS):
            labels, predictions = view.examples.classes == arm, view.answers[:, arm]
            # Under other tags, since VisualDL's reader knows each tag only as one kind.
            writer.add_pr_curve(f"eval/pr/arm_{arm}", labels, predictions, step, _THRESHOLDS, walltime=at)
            writer.add_roc_curve(f"eval/roc/arm_{arm}", labels, predictions, step, _THRESHOLDS, walltime=at)

    def conclude(self, outcome: Outcome, *, wall_time: float) -> None:
        """Record what is known only at the end."""
        writer, at = self._writer, _milliseconds(wall_time)
        writer.add_text("verdict", texts.verdict(outcome), outcome.step, at)
        writer.add_audio("train/loss_as_tone", audio.tone(outcome.losses), outcome.step, audio.RATE, at)
        if outcome.view is not None:
            if (figure := figures.confusion(outcome.view)) is not None:
                writer.add_figure("eval/confusion_figure", figure, outcome.step, at)
            arms = [f"arm {arm}" for arm in outcome.view.examples.classes]
            writer.add_embeddings("eval/features", outcome.view.features, arms, walltime=at)

    def flush(self) -> None:
        """Let readers see what was recorded."""
        self._writer.flush()

    def close(self) -> None:
        """End the log."""
        self._writer.close()

    def set_back(self) -> None:
        """Make the closed log look as if it had been written at the wall times it was told."""
        self._files.set_back(started=self._started, ended=self._ended)


def _milliseconds(wall_time: float) -> float:
    return wall_time * 1000
