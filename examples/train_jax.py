"""Train a small network in JAX to draw a picture: it learns the brightness of each pixel from its coordinates.

Needs jax. Run it, then open the board:

    python examples/train_jax.py
    app start --summary-base-dir runs

Look at run `jax`:

- Scalars: `train/loss`
- Images: `picture`: drag along its steps and watch the rings appear; `target`
- Histograms: `weights/0`, `weights/1`, `weights/2`
- Model lineage: `hparam/rate`, `metric/loss`
- Profiler: `step`, of which three are recorded; JAX compiles a step as a whole, so look at the timeline
"""

import jax
import jax.numpy as jnp

import mindinsight_like as mi

RUN = "runs/jax"
SIZE, STEPS, RATE = 32, 400, 0.02
WIDTHS = (2, 32, 32, 1)

AXIS = jnp.linspace(-1, 1, SIZE)
PIXELS = jnp.stack(jnp.meshgrid(AXIS, AXIS), axis=-1).reshape(-1, 2)
TARGET = 0.5 + 0.5 * jnp.cos(8 * jnp.linalg.norm(PIXELS, axis=1))


def draw(weights):
    """Brightness of every pixel, from 0 to 1."""
    layer = PIXELS
    for matrix in weights[:-1]:
        layer = jnp.cos(3 * layer @ matrix)
    return jax.nn.sigmoid(layer @ weights[-1])[:, 0]


@jax.jit
def train_step(weights, momentum):
    loss, slopes = jax.value_and_grad(lambda each: jnp.mean((draw(each) - TARGET) ** 2))(weights)
    momentum = jax.tree.map(lambda old, slope: 0.95 * old + slope, momentum, slopes)
    return loss, jax.tree.map(lambda each, speed: each - RATE * speed, weights, momentum), momentum


def main():
    keys = jax.random.split(jax.random.key(0), len(WIDTHS) - 1)
    shapes = zip(keys, WIDTHS[:-1], WIDTHS[1:], strict=True)
    weights = [jax.random.normal(key, (rows, columns)) / rows**0.5 for key, rows, columns in shapes]
    momentum = [jnp.zeros_like(matrix) for matrix in weights]
    profiler = mi.Profiler(RUN, schedule=mi.schedule(wait=10, active=3, repeat=1))
    with mi.SummaryWriter(RUN) as writer:
        writer.add_image("target", TARGET.reshape(SIZE, SIZE), dataformats="HW")
        for step in range(STEPS):
            loss, weights, momentum = train_step(weights, momentum)
            writer.add_scalar("train/loss", loss, step)  # waits for the device
            profiler.step()
            if step % 40 == 0:
                writer.add_image("picture", draw(weights).reshape(SIZE, SIZE), step, dataformats="HW")
                for layer, matrix in enumerate(weights):
                    writer.add_histogram(f"weights/{layer}", matrix, step)
    profiler.analyse()
    mi.log_lineage(RUN, params={"rate": RATE, "steps": STEPS}, metrics={"loss": float(loss)})


if __name__ == "__main__":
    main()
