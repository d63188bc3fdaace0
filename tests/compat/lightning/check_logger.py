"""The same Lightning trainings with its TensorBoardLogger and with ours give the same records.

Run in an environment with lightning, torch and tensorboard.
"""

import logging
import pickle
import tempfile
import warnings
from pathlib import Path

import lightning
import tensorboard
import torch
from lightning.pytorch import LightningModule, Trainer, seed_everything
from lightning.pytorch.loggers import Logger, TensorBoardLogger
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from torch.utils.data import DataLoader, TensorDataset

import mindinsight_like as mi


class Net(LightningModule):
    """A tiny regression that logs by step and by epoch, and a picture by hand."""

    def __init__(self, width=4, rate=0.1):
        super().__init__()
        self.save_hyperparameters()
        self.layers = torch.nn.Sequential(torch.nn.Linear(3, width), torch.nn.ReLU(), torch.nn.Linear(width, 1))
        self.example_input_array = torch.zeros(2, 3)

    def forward(self, x):
        return self.layers(x)

    def training_step(self, batch, index):
        loss = (self(batch[0]) - batch[1]).square().mean()
        self.log("train/loss", loss, on_step=True, on_epoch=True)
        self.log("double", loss.double())
        self.log("half", loss.bfloat16())
        return loss

    def validation_step(self, batch, index):
        self.log("val/loss", (self(batch[0]) - batch[1]).square().mean())

    def on_train_epoch_end(self):
        self.logger.experiment.add_image("noise", torch.zeros(3, 4, 4), self.global_step)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.hparams.rate)


def train(logger):
    """Train and test with a logger."""
    seed_everything(1, verbose=False)
    data = DataLoader(TensorDataset(torch.randn(32, 3), torch.randn(32, 1)), batch_size=4)
    trainer = Trainer(
        max_epochs=2,
        logger=logger,
        log_every_n_steps=2,
        accelerator="cpu",
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    net = Net()
    trainer.fit(net, data, data)


def read(folder):
    """What TensorBoard finds."""
    found = EventAccumulator(str(folder), size_guidance={"scalars": 0, "images": 0})
    found.Reload()
    tags = found.Tags()
    return {
        "scalars": {tag: [(one.step, one.value) for one in found.Scalars(tag)] for tag in tags["scalars"]},
        "images": {tag: [one.step for one in found.Images(tag)] for tag in tags["images"]},
        "graph": sorted(node.op for node in found.Graph().node if "/" in node.name) if tags["graph"] else [],
        "parameters": sorted(tag for tag in found.summary_metadata if tag.startswith("_hparams_")),
    }


def check_same(folder):
    """Scalars, pictures, graph and hyper-parameters; the folders and files beside them."""
    for name, kind in (("theirs", TensorBoardLogger), ("ours", mi.LightningLogger)):
        for _ in range(2):
            train(kind(str(folder / name), name="net", log_graph=True, prefix="p"))
    for version in ("version_0", "version_1"):
        ours, theirs = read(folder / "ours" / "net" / version), read(folder / "theirs" / "net" / version)
        assert ours == theirs, (ours, theirs)
        assert len(ours["graph"]) > 3 and len(ours["scalars"]) > 5
        parameters = [(folder / name / "net" / version / "hparams.yaml").read_text() for name in ("ours", "theirs")]
        assert parameters[0] == parameters[1]
    print(f"{len(ours['scalars'])} scalars, pictures, graph and hyper-parameters are the same")


def check_class(folder):
    """Ours is a logger of Lightning, can be subclassed, and travels to other processes."""

    class Mine(mi.LightningLogger):
        pass

    for kind in (mi.LightningLogger, Mine):
        assert isinstance(kind(folder), Logger) and isinstance(kind(folder), kind)
    logger = mi.LightningLogger(folder)
    logger.experiment.add_scalar("a", 1)
    copy = pickle.loads(pickle.dumps(logger))
    assert isinstance(copy, Logger) and copy.log_dir == logger.log_dir
    print("the logger is Lightning's")


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as name:
        check_class(Path(name) / "a")
        check_same(Path(name) / "b")
    print("lightning", lightning.__version__, "torch", torch.__version__, "tensorboard", tensorboard.__version__)
