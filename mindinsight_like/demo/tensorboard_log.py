"""Record a training with SummaryWriter."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mindinsight_like.demo.content import audio, figures, images, texts
from mindinsight_like.demo.content.graphs import onnx_model
from mindinsight_like.demo.content.surfaces import surface
from mindinsight_like.demo.content.views import View
from mindinsight_like.demo.dating import NewFiles
from mindinsight_like.demo.training.plans import Plan
from mindinsight_like.demo.training.training import ARMS, BATCH, Moment, Outcome
from mindinsight_like.writers.tensorboard.summary_writer import SummaryWriter

_CHARTS = {
    "progress": {
        "losses": ["Multiline", ["train/loss", "eval/loss"]],
        "accuracy, 19 times out of 20": ["Margin", ["eval/accuracy", "eval/accuracy_low", "eval/accuracy_high"]],
    }
}
_MESH_CONFIG = {
    "camera": {"cls": "PerspectiveCamera", "fov": 35, "up": [0, 0, 1]},
    "material": {"cls": "MeshStandardMaterial", "side": 2},
}
_FRAMES_PER_SECOND = 4


class TensorboardLog:
    """Writes every kind of data that TensorBoard shows."""

    def __init__(self, folder: Path, plan: Plan, started: float) -> None:
        self._plan = plan
        self._started = self._ended = started
        self._files = NewFiles(folder)
        self._writer = writer = SummaryWriter(folder)
        with writer.use_metadata(global_step=0, walltime=started):
            writer.add_text("parameters", texts.description(plan))
            writer.add_onnx_graph(onnx_model(hidden=plan.hidden, classes=ARMS, batch=BATCH))
            writer.add_custom_scalars(_CHARTS)

    def write(self, moment: Moment, *, wall_time: float) -> None:
        """Record everything the moment holds."""
        self._ended = wall_time
        writer, scalars = self._writer, moment.scalars
        with writer.use_metadata(global_step=moment.step, walltime=wall_time):
            for tag, value in scalars.items():
                writer.add_scalar(tag, value)
            if "eval/loss" in scalars:
                writer.add_scalars("loss", {"train": scalars["train/loss"], "eval": scalars["eval/loss"]})
            for tag, weights in moment.weights.items():
                writer.add_histogram(tag, weights)
            if moment.view is not None:
                self._write_view(moment.view)

    def _write_view(self, view: View) -> None:
        writer = self._writer
        writer.add_image("eval/regions", images.regions(view), dataformats="HWC")
        writer.add_images("eval/arms", images.class_maps(view))
        enlarged, boxes, labels = images.mistakes(view)
        writer.add_image_with_boxes("eval/mistakes", enlarged, boxes, dataformats="HWC", labels=labels)
        for arm in range(ARMS):
            writer.add_pr_curve(f"eval/arm_{arm}", view.examples.classes == arm, view.answers[:, arm])
        shape = surface(view)
        writer.add_mesh("eval/certainty", shape.vertices, shape.colours, shape.faces, _MESH_CONFIG)
        writer.add_tensor("eval/confusion", view.confusion)

    def conclude(self, outcome: Outcome, *, wall_time: float) -> None:
        """Record what is known only at the end."""
        writer = self._writer
        with writer.use_metadata(global_step=outcome.step, walltime=wall_time):
            writer.add_text("verdict", texts.verdict(outcome))
            writer.add_audio("train/loss_as_tone", audio.tone(outcome.losses), sample_rate=audio.RATE)
            metrics = {"hparam/loss": outcome.held_out.loss, "hparam/accuracy": outcome.held_out.accuracy}
            writer.add_hparams(texts.parameters(self._plan), metrics, run_name=".")
            if outcome.film:
                film = np.stack(list(outcome.film.values()))[None]
                writer.add_video("eval/learning", film, fps=_FRAMES_PER_SECOND, dataformats="NTHWC")
            if outcome.view is not None:
                if (figure := figures.confusion(outcome.view)) is not None:
                    writer.add_figure("eval/confusion_figure", figure)
                classes, answers = outcome.view.examples.classes, outcome.view.answers.argmax(axis=1)
                writer.add_embedding(
                    outcome.view.features,
                    metadata=[
                        [f"arm {arm}", f"arm {answer}", f"{sure:.4f}"]
                        for arm, answer, sure in zip(classes, answers, outcome.view.answers.max(axis=1), strict=True)
                    ],
                    metadata_header=["arm", "taken for", "certainty"],
                    label_img=images.labels(outcome.view.examples),
                    tag="eval/features",
                )

    def flush(self) -> None:
        """Let readers see what was recorded."""
        self._writer.flush()

    def close(self) -> None:
        """End the log."""
        self._writer.close()

    def set_back(self) -> None:
        """Make the closed log look as if it had been written at the wall times it was told."""
        self._files.set_back(started=self._started, ended=self._ended)
