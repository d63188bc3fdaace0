"""Every call of the tensorboardX tutorial "训练可视化", with nothing changed but the import.

Needs torch and matplotlib. Run it, then open the board:

    python examples/tensorboardx_calls.py
    app start --summary-base-dir runs

Look at run `tensorboardx`:

- Scalars: `loss`, and in `losses` two curves in one chart
- Histograms: `fc/weight`
- Images: `noise`, `boxes`, `figure`
- Video: `blinking`
- Computation graph: `aten::linear`, `aten::relu` among the operators
- Embeddings: `digits`
- Text: `note/text_summary`
- PR/ROC curves: `classes`

`runs/scalars.json` has the curves for other programs.
"""

import matplotlib.pyplot as plt
import torch

from mindinsight_like import SummaryWriter  # was: from tensorboardX import SummaryWriter


def main():
    torch.manual_seed(0)
    writer = SummaryWriter("runs/tensorboardx")
    model = torch.nn.Sequential(torch.nn.Linear(64, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4))

    for step in range(100):
        writer.add_scalar("loss", 1 - step / 100, step)
        writer.add_scalars("losses", {"train": 0.95**step, "test": 0.95**step + 0.1}, step)
        if step % 20 == 0:
            writer.add_histogram("fc/weight", model[0].weight * (1 + step / 100), step)

    noise = torch.rand(3, 32, 32)
    writer.add_image("noise", noise, 0)
    writer.add_image_with_boxes("boxes", noise, torch.tensor([[4, 4, 20, 20], [10, 16, 30, 28]]), 0)
    writer.add_video("blinking", torch.rand(1, 8, 3, 32, 32), 0, fps=4)

    figure, axes = plt.subplots()
    axes.plot([0, 1, 2], [0, 1, 4])
    writer.add_figure("figure", figure, 0)

    vectors, labels = torch.randn(60, 64), [f"digit {number % 10}" for number in range(60)]
    writer.add_embedding(vectors, metadata=labels, label_img=torch.rand(60, 3, 8, 8), tag="digits", global_step=0)
    writer.add_graph(model, vectors[:1])
    writer.add_text("note", "Recorded with the calls of **tensorboardX**.", 0)

    truth = torch.randint(0, 2, (200,))
    writer.add_pr_curve("classes", truth, (truth * 0.4 + torch.rand(200) * 0.6), 0)

    writer.export_scalars_to_json("runs/scalars.json")
    writer.close()


if __name__ == "__main__":
    main()
