"""Fit a circle through noisy points in plain Python, and log everything that the fit knows about itself.

Run it, then open the board:

    python examples/plain_python.py
    app start --summary-base-dir runs

Look at run `plain-python`:

- Scalars: `loss`, `circle/x`, `circle/y`, `circle/radius`
- Histograms: `residual`, which narrows to the noise of 0.05
- Text: `task/text_summary`
- Model lineage: `hparam/rate`, `data/samples`, `metric/loss`
- Profiler: `data`, `gradient` among the operator types, and every `step`
"""

import math
import random

import mindinsight_like as mi

RUN = "runs/plain-python"
CENTRE, RADIUS, NOISE = (1.0, -2.0), 3.0, 0.05
STEPS, RATE, SAMPLES = 100, 0.2, 200


def sample_points():
    """Points near the circle, a new batch for each step."""
    angles = [random.uniform(0, 2 * math.pi) for _ in range(SAMPLES)]
    radii = [random.gauss(RADIUS, NOISE) for _ in angles]
    return [(CENTRE[0] + r * math.cos(a), CENTRE[1] + r * math.sin(a)) for a, r in zip(angles, radii, strict=True)]


def fit_step(x, y, radius, points):
    """Distances of the points from the circle, and the circle after one step of gradient descent."""
    offsets = [(px - x, py - y, math.hypot(px - x, py - y)) for px, py in points]
    residuals = [distance - radius for _, _, distance in offsets]
    slopes = [(r * dx / d, r * dy / d, r) for (dx, dy, d), r in zip(offsets, residuals, strict=True)]
    moves = [RATE * sum(column) / len(points) for column in zip(*slopes, strict=True)]
    return residuals, x + moves[0], y + moves[1], radius + moves[2]


def main():
    random.seed(0)
    x, y, radius = 0.0, 0.0, 1.0
    profiler = mi.Profiler(RUN, framework="none")
    with mi.SummaryWriter(RUN) as writer:
        writer.add_text("task", "Find the circle behind **200 noisy points**.")
        for step in range(STEPS):
            with profiler.op("sample", type="data"):
                points = sample_points()
            with profiler.op("fit", type="gradient"):
                residuals, x, y, radius = fit_step(x, y, radius, points)
            loss = sum(r * r for r in residuals) / len(residuals)
            writer.add_scalar("loss", loss, step)
            for name, value in (("x", x), ("y", y), ("radius", radius)):
                writer.add_scalar(f"circle/{name}", value, step)
            if step % 10 == 0:
                writer.add_histogram("residual", residuals, step)
            profiler.step()
    profiler.analyse()
    mi.log_lineage(
        RUN, params={"rate": RATE}, data={"samples": SAMPLES}, metrics={"loss": loss}, model={"name": "circle"}
    )


if __name__ == "__main__":
    main()
