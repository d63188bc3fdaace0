"""Train a convolutional network in PyTorch on images of bars, and profile a few steps of it.

Needs torch. Run it, then open the board:

    python examples/train_pytorch.py
    app start --summary-base-dir runs

Look at run `pytorch`:

- Scalars: `train/loss`, `test/accuracy`
- Images: `train/batch`
- Histograms: `0.weight`, the kernels of the convolution
- Computation graph: `aten::_convolution`, `aten::linear` among the operators
- Model lineage: `hparam/lr`, `metric/accuracy`, `model/parameters`
- Profiler: `aten::convolution_backward` among the operator types, and the four recorded `step`
"""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import mindinsight_like as mi

RUN = "runs/pytorch"
EPOCHS, BATCH_SIZE, LEARNING_RATE = 3, 32, 0.002


def make_bars(count):
    """Noisy images of 16 x 16 pixels with one bar: class 1 if it is upright, class 0 if it lies."""
    images, labels = torch.rand(count, 1, 16, 16) / 2, torch.randint(0, 2, (count,))
    for image, label, place in zip(images, labels, torch.randint(0, 16, (count,)), strict=True):
        image[0, :, place] += label / 2
        image[0, place, :] += (1 - label) / 2
    return TensorDataset(images, labels)


def main():
    torch.manual_seed(0)
    train_data, test_data = make_bars(1024), make_bars(256)
    model = nn.Sequential(nn.Conv2d(1, 8, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8 * 6 * 6, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)
    profiler = mi.Profiler(RUN, schedule=mi.schedule(skip_first=4, wait=2, warmup=1, active=4, repeat=1))
    with mi.SummaryWriter(RUN) as writer:
        writer.add_graph(model, train_data.tensors[0][:1])
        step = 0
        for _ in range(EPOCHS):
            for images, labels in DataLoader(train_data, BATCH_SIZE, shuffle=True):
                loss = nn.functional.cross_entropy(model(images), labels)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                writer.add_scalar("train/loss", loss, step)
                profiler.step()
                step += 1
            images, labels = test_data.tensors
            accuracy = (model(images).argmax(dim=1) == labels).float().mean()
            writer.add_scalar("test/accuracy", accuracy, step)
            writer.add_images("train/batch", train_data.tensors[0][:8], step)
            writer.add_histogram("0.weight", model[0].weight, step)
    profiler.analyse()
    mi.log_lineage(
        RUN,
        params={"lr": LEARNING_RATE, "batch_size": BATCH_SIZE, "epochs": EPOCHS},
        metrics={"accuracy": float(accuracy)},
        model={"name": "bars", "parameters": sum(each.numel() for each in model.parameters())},
    )


if __name__ == "__main__":
    main()
