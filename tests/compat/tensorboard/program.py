"""One program of calls for any SummaryWriter: every kind of data that the originals know, with fixed numbers."""

import inspect

import numpy as np

WALL = 1_750_000_000.25
LAYOUT = {"Custom": {"both": ["Multiline", ["loss", "acc"]], "band": ["Margin", ["loss", "low", "high"]]}}


def record(writer_class, folder, torch):
    """Call everything once or a few times; what a writer does not have is left out."""
    random = np.random.default_rng(5)
    with writer_class(folder) as writer:
        _record_numbers(writer, random, torch)
        _record_pictures(writer, random)
        _record_others(writer, random, torch)


def _record_numbers(writer, random, torch):
    for step in range(5):
        writer.add_scalar("train/loss", 1 / (step + 1), step, WALL + step)
        writer.add_scalars("pair", {"sin": float(np.sin(step)), "cos": float(np.cos(step))}, step, WALL + step)
    for step, value in enumerate((np.float32(0.1), np.array([2.5]), torch.tensor(3.5), torch.tensor([[4]]), 5)):
        writer.add_scalar("kinds", value, step, WALL)
    for step, value in enumerate((float("nan"), float("inf"), -float("inf"), 1e300)):
        writer.add_scalar("odd", value, step, WALL)
    writer.add_scalar("no step", 1.0, walltime=WALL)
    for step, size in enumerate((1, 10, 1000)):
        writer.add_histogram("hist/tensorflow", random.normal(size=size), step, walltime=WALL)
        writer.add_histogram("hist/auto", random.normal(size=size), step, bins="auto", walltime=WALL)
        writer.add_histogram("hist/fd", random.normal(size=size), step, bins="fd", walltime=WALL, max_bins=5)
    writer.add_histogram("hist/torch", torch.linspace(-3, 3, 100).reshape(10, 10), 0, walltime=WALL)
    writer.add_histogram("hist/integers", np.arange(20), 0, walltime=WALL)
    writer.add_histogram("hist/equal", np.full(7, 0.25), 0, walltime=WALL)
    writer.add_histogram_raw("hist/raw", 0.0, 2.0, 3, 3.0, 5.0, [1.0, 2.0], [1, 2], 4, WALL)
    labels, predictions = random.integers(0, 2, 200), random.random(200)
    predictions[:3] = 0.0, 1.0, 0.5
    writer.add_pr_curve("pr/plain", labels, predictions, 0, walltime=WALL)
    writer.add_pr_curve("pr/weighted", labels, predictions, 1, 31, random.random(200), WALL)
    rows = [np.arange(4.0) + row for row in range(6)]
    writer.add_pr_curve_raw("pr/raw", *rows, 2, num_thresholds=4, walltime=WALL)


def _record_pictures(writer, random):
    writer.add_image("image/chw", random.random((3, 7, 9)), 0, WALL)
    writer.add_image("image/bytes", random.integers(0, 256, (3, 7, 9), dtype=np.uint8), 0, WALL)
    writer.add_image("image/gray", random.random((1, 7, 9)).astype(np.float32), 0, WALL)
    writer.add_image("image/hw", random.random((7, 9)), 0, WALL, "HW")
    writer.add_image("image/hwc", random.random((7, 9, 3)), 0, WALL, dataformats="HWC")
    writer.add_image("image/alpha", random.random((7, 9, 4)), 0, WALL, dataformats="HWC")
    writer.add_images("images/nchw", random.random((11, 3, 5, 6)), 0, WALL)
    writer.add_images("images/gray", random.random((3, 1, 5, 6)), 0, WALL)
    writer.add_images("images/nhwc", random.random((9, 5, 6, 3)), 0, WALL, dataformats="NHWC")
    boxes = np.array([[3.0, 4.0, 30.0, 40.0], [10.0, 10.0, 20.0, 20.0]])
    writer.add_image_with_boxes("boxes/plain", random.random((3, 48, 64)), boxes, 0, WALL)
    writer.add_image_with_boxes("boxes/named", random.random((3, 48, 64)), boxes, 0, WALL, labels=["cat", "dog"])
    from matplotlib import pyplot

    for count in (1, 2):
        figures = [pyplot.figure(figsize=(2, 1.5)) for _ in range(count)]
        for figure in figures:
            figure.gca().plot([1, 3, 2])
        writer.add_figure(f"figure/{count}", figures if count > 1 else figures[0], 0, walltime=WALL)
    writer.add_video(
        "video", np.repeat(np.arange(0, 240, 40, dtype=np.uint8), 3 * 8 * 6).reshape(1, 6, 3, 8, 6), 0, walltime=WALL
    )


def _record_others(writer, random, torch):
    writer.add_audio("tone", np.sin(np.arange(800) / 7) * 0.9, 0, 8000, WALL)
    writer.add_text("note", "**bold** 日本語 🙂\n\n| a |\n|---|", 0, WALL)
    vertices, colors = random.random((1, 4, 3)).astype(np.float32), random.integers(0, 256, (1, 4, 3))
    writer.add_mesh("mesh", vertices, colors, np.array([[[0, 1, 2], [1, 2, 3]]]), {"a": 1}, 3, WALL)
    writer.add_mesh("cloud", vertices, walltime=WALL)
    writer.add_custom_scalars(LAYOUT)
    labels = [f"w{number}" for number in range(20)]
    images = torch.tensor(random.random((20, 3, 8, 8)), dtype=torch.float32)
    writer.add_embedding(torch.tensor(random.random((20, 6))), labels, images, 1, "all/words")
    rows = [[label, number] for number, label in enumerate(labels)]
    writer.add_embedding(random.random((20, 3)), rows, global_step=2, tag="multi", metadata_header=["word", "index"])
    parameters = {"lr": 0.1, "layers": 3, "optimizer": "SGD", "nothing": None}
    name = {"run_name" if _takes(writer.add_hparams, "run_name") else "name": "trial"}
    writer.add_hparams(parameters, {"hp/acc": 0.5, "hp/loss": 0.25}, **name)
    model = torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3), torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Flatten()))
    writer.add_graph(model, torch.zeros(1, 1, 6, 6))
    if hasattr(writer, "add_tensor"):
        for dtype in (torch.float32, torch.float64, torch.int32, torch.int64, torch.int16, torch.int8, torch.bool):
            writer.add_tensor(f"tensor/{dtype}", torch.arange(6).reshape(2, 3).to(dtype), 0, WALL)
        writer.add_scalar("new style", 0.1, 1, WALL, new_style=True)
        writer.add_scalar("double", 0.1, 1, WALL, new_style=True, double_precision=True)
    if _takes(writer.add_scalar, "display_name"):
        writer.add_scalar("titled", 0.1, 1, WALL, display_name="Title", summary_description="Text")


def _takes(function, name):
    return name in inspect.signature(function).parameters
