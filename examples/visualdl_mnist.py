"""The tutorial "结合paddle2.0，在MNIST项目中介绍VisualDL的用法": a callback, then a loop that records more.

Needs paddlepaddle. Run it, then open the board:

    python examples/visualdl_mnist.py
    app start --summary-base-dir runs

Look at run `visualdl-mnist/input_image_show`:

- Images: `数字0`, `数字1`, `数字9`

Look at run `visualdl-mnist/callback`:

- Scalars: `train/loss`, `train/acc`

Look at run `visualdl-mnist/train`:

- Scalars: `train/loss`, `train/acc`
- Histograms: `fc1.weight`, `fc1.bias`, `fc2.weight`, `fc2.bias`
- PR/ROC curves: `train/class_0_pr_curve`, `train/class_9_pr_curve`
- Computation graph: `matmul`, `sigmoid`, `softmax`: the saved model
"""

import numpy as np
import paddle

from mindinsight_like import LogWriter, VisualDLCallback  # were: visualdl.LogWriter, paddle.callbacks.VisualDL

LOG, CLASSES = "runs/visualdl-mnist", 10


class MyDNN(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = paddle.nn.Linear(784, 64), paddle.nn.Linear(64, CLASSES)

    def forward(self, x):
        x = paddle.flatten(x, start_axis=1, stop_axis=-1)
        return paddle.nn.functional.softmax(self.fc2(paddle.nn.functional.sigmoid(self.fc1(x))))


def main():
    random = np.random.default_rng(0)
    labels = random.integers(0, CLASSES, (512, 1))
    patterns = random.random((CLASSES, 1, 28, 28), "float32")  # one for each digit
    images = (patterns[labels[:, 0]] + random.random((512, 1, 28, 28), "float32")) / 2
    with LogWriter(logdir=f"{LOG}/input_image_show") as writer:
        for i in range(50):
            writer.add_image(tag=f"数字{labels[i][0]}", img=images[i].reshape(28, 28, 1), step=i)

    data = paddle.io.TensorDataset([paddle.to_tensor(images), paddle.to_tensor(labels)])
    model = paddle.Model(network := MyDNN())
    adam = paddle.optimizer.Adam(0.001, parameters=model.parameters())
    model.prepare(adam, paddle.nn.CrossEntropyLoss(), paddle.metric.Accuracy())
    model.fit(data, epochs=3, batch_size=64, verbose=0, callbacks=VisualDLCallback(f"{LOG}/callback"))

    with LogWriter(logdir=f"{LOG}/train") as writer:
        for step, (image, label) in enumerate(paddle.io.DataLoader(data, batch_size=32)):
            predict = network(image)
            loss = paddle.nn.functional.cross_entropy(predict, label, use_softmax=False)
            writer.add_scalar(tag="train/loss", step=step, value=loss)
            writer.add_scalar(tag="train/acc", step=step, value=paddle.metric.accuracy(predict, label))
            for name, parameter in network.named_parameters():
                writer.add_histogram(tag=name, values=parameter.numpy(), step=step)
            for i in range(CLASSES):
                truth, scores = (label.numpy()[:, 0] == i).astype("int32"), predict.numpy()[:, i]
                writer.add_pr_curve(f"train/class_{i}_pr_curve", truth, scores, step=step, num_thresholds=20)
            loss.backward()
            adam.step()
            adam.clear_grad()
    paddle.jit.save(network, f"{LOG}/train/MyDNN", [paddle.static.InputSpec([None, 1, 28, 28], "float32")])


if __name__ == "__main__":
    main()
