"""VisualDL's tutorial "如何在PyTorch中使用VisualDL": the calls of VisualDL 1.x, with nothing changed but the import.

Needs torch and onnx. Run it, then open the board:

    python examples/visualdl_pytorch.py
    app start --summary-base-dir runs

Look at run `visualdl-pytorch/train`:

- Scalars: `scalars/scalar_pytorch_train_loss`
- Images: `images/image1`, `images/image2`: the kernels of both convolutions
- Histograms: `histogram/histogram0`

Look at run `visualdl-pytorch`:

- Computation graph: `Conv`, `MaxPool`, `Gemm`: the exported ONNX model
"""

import torch
import torch.nn.functional as F
from torch import nn

from mindinsight_like import LogWriter  # was: from visualdl import LogWriter

LOGDIR = "runs/visualdl-pytorch"


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(3, 6, 5), nn.Conv2d(6, 16, 5)
        self.fc1, self.fc2, self.fc3 = nn.Linear(16 * 5 * 5, 120), nn.Linear(120, 84), nn.Linear(84, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return self.fc3(F.relu(self.fc2(F.relu(self.fc1(x.flatten(1))))))


def main():
    torch.manual_seed(0)
    logger = LogWriter(LOGDIR, sync_cycle=100)
    with logger.mode("train"):
        train_loss = logger.scalar("scalars/scalar_pytorch_train_loss")
        image1, image2 = logger.image("images/image1", 1), logger.image("images/image2", 1)
        histogram0 = logger.histogram("histogram/histogram0", num_buckets=100)

    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9)
    colours = torch.rand(10, 3, 1, 1)  # an image of class n has the colour n
    for step in range(40):
        labels = torch.randint(0, 10, (50,))
        loss = F.cross_entropy(net(colours[labels] + torch.rand(50, 3, 32, 32) / 10), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        train_loss.add_record(step, loss.item())
        histogram0.add_record(step, net.conv1.weight.view(-1))
        for image, shape, layer in ((image1, [96, 25], net.conv2), (image2, [18, 25], net.conv1)):
            image.start_sampling()
            image.add_sample(shape, layer.weight.view(-1))
            image.finish_sampling()

    torch.onnx.export(
        net, (torch.rand(4, 3, 32, 32),), f"{LOGDIR}/pytorch_cifar10.onnx", dynamo=False
    )  # True needs onnxscript


if __name__ == "__main__":
    main()
