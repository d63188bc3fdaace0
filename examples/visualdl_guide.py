"""The guide "使用 VisualDL 可视化模型，数据和训练": two trainings of its network, with nothing changed but the import.

Needs paddlepaddle. Run it, then open the board:

    python examples/visualdl_guide.py
    app start --summary-base-dir runs

Look at run `visualdl-guide/sgd`:

- Scalars: `train_avg_loss`, `test_avg_acc`
- Images: `input_images`, nine samples in a grid
- Embeddings: `input_image_embeddings`
- Histograms: `fc_weight`
- PR/ROC curves: `class_0`, `class_3`
- Hyperparameters: `lr`, `batch_size`, `opt`, `test_avg_acc`; the other training, adam, is the next row
- Computation graph: `conv2d`, `pool2d` among the operators
"""

import numpy as np
import paddle
import paddle.nn.functional as F
from paddle.nn import Conv2D, Flatten, Linear, MaxPool2D, ReLU

from mindinsight_like import LogWriter  # was: from visualdl import LogWriter

CLASSES, EPOCHS, BATCH_SIZE, SAMPLES = 4, 3, 16, 256


def make_digits(count, seed):
    """Images of 28 x 28 pixels with a bright quarter, whose number is the class."""
    random = np.random.default_rng(seed)
    images, labels = random.random((count, 1, 28, 28), "float32") / 2, random.integers(0, CLASSES, (count, 1))
    for image, label in zip(images, labels[:, 0], strict=True):
        image[0, 14 * (label // 2) :, 14 * (label % 2) :][:14, :14] += 0.5
    return paddle.to_tensor(images), paddle.to_tensor(labels)


def train(name, make_optimizer, rate):
    images, labels = make_digits(SAMPLES, seed=0)
    test_images, test_labels = make_digits(64, seed=1)
    layers = [Conv2D(1, 20, 5, padding=2), ReLU(), MaxPool2D(2), Conv2D(20, 20, 5, padding=2), ReLU(), MaxPool2D(2)]
    model = paddle.nn.Sequential(*layers, Flatten(), Linear(980, CLASSES))
    optimizer = make_optimizer(rate, parameters=model.parameters())
    logwriter = LogWriter(logdir=f"runs/visualdl-guide/{name}")
    matrix = [image.transpose([1, 2, 0]) for image in images[:9].numpy()]
    logwriter.add_image_matrix(tag="input_images", step=1, imgs=matrix, rows=-1)
    tags = [f"image_{i}" for i in range(9)]
    logwriter.add_embeddings("input_image_embeddings", mat=images[:9].numpy().reshape(9, -1), metadata=tags)
    hparams = {"lr": rate, "batch_size": BATCH_SIZE, "opt": name}
    logwriter.add_hparams(hparams_dict=hparams, metrics_list=["train_avg_loss", "test_avg_acc"])
    for epoch in range(EPOCHS):
        for begin in range(0, SAMPLES, BATCH_SIZE):
            step = (begin + epoch * SAMPLES) // BATCH_SIZE
            loss = F.cross_entropy(model(images[begin : begin + BATCH_SIZE]), labels[begin : begin + BATCH_SIZE])
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            logwriter.add_scalar("train_avg_loss", value=loss.numpy(), step=step)
            logwriter.add_histogram("fc_weight", values=model[-1].weight.numpy(), step=step)
        predicts = model(test_images)
        logwriter.add_scalar("test_avg_acc", value=paddle.metric.accuracy(predicts, test_labels).numpy(), step=epoch)
        for i, scores in enumerate(F.softmax(predicts).numpy().T):
            logwriter.add_pr_curve(f"class_{i}", labels=test_labels.numpy() == i, predictions=scores, step=epoch)
    paddle.jit.save(model, f"runs/visualdl-guide/{name}/model", [paddle.static.InputSpec([-1, 1, 28, 28])])
    logwriter.close()


if __name__ == "__main__":
    train("sgd", paddle.optimizer.SGD, rate=1e-2)
    train("adam", paddle.optimizer.Adam, rate=1e-3)
