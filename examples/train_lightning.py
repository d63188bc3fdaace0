"""Train a small network with Lightning: one logger for the curves, one callback for the profile.

Needs torch and lightning. Run it, then open the board:

    python examples/train_lightning.py
    app start --summary-base-dir runs

Look at run `lightning_logs/version_0`:

- Scalars: `train/loss`, `val/loss`, `epoch`
- Hyperparameters: `width`, `rate`, and the metric `hp_metric`
- Model lineage: `hparam/width`, `hparam/rate`
- Profiler: `aten::addmm` among the operator types, and the five recorded `step`
"""

import torch
from lightning.pytorch import LightningModule, Trainer, seed_everything
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset

import mindinsight_like as mi


class Regression(LightningModule):
    """A hidden layer that learns z = x y."""

    def __init__(self, width=32, rate=0.01):
        super().__init__()
        self.save_hyperparameters()
        self.layers = torch.nn.Sequential(torch.nn.Linear(2, width), torch.nn.Tanh(), torch.nn.Linear(width, 1))

    def forward(self, points):
        return self.layers(points)

    def training_step(self, batch, index):
        points, products = batch
        loss = functional.mse_loss(self(points), products)
        self.log("train/loss", loss)
        return loss

    def validation_step(self, batch, index):
        points, products = batch
        self.log("val/loss", functional.mse_loss(self(points), products))

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.rate)


def make_loader(count, shuffle=False):
    points = torch.rand(count, 2) * 2 - 1
    return DataLoader(TensorDataset(points, points.prod(dim=1, keepdim=True)), batch_size=32, shuffle=shuffle)


def main():
    seed_everything(0)
    logger = mi.LightningLogger("runs")
    profiler = mi.LightningProfilerCallback(
        logger.log_dir, schedule=mi.schedule(skip_first=5, wait=4, warmup=1, active=5, repeat=1)
    )
    trainer = Trainer(
        max_epochs=5, logger=logger, callbacks=[profiler], log_every_n_steps=4, enable_checkpointing=False
    )
    trainer.fit(Regression(), make_loader(512, shuffle=True), make_loader(128))


if __name__ == "__main__":
    main()
