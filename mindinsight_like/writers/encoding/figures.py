"""Render matplotlib figures as images, with the caller's own matplotlib."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Pixels = npt.NDArray[np.uint8]  # rows, columns, RGB


def drawn(figure: Any, *, close: bool = True) -> Pixels:
    """The figure as it looks now; `close` takes it out of pyplot's memory.

    Must be called in the thread that draws, since matplotlib serves one at a time.
    """
    import numpy as np
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    if not hasattr(figure, "set_canvas"):
        raise TypeError(f"expected a matplotlib figure, not {type(figure).__name__}")
    shown_on = figure.canvas
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    pixels = np.array(canvas.buffer_rgba())[:, :, :3]
    figure.set_canvas(shown_on)
    pyplot = sys.modules.get("matplotlib.pyplot")
    if close and pyplot is not None:
        pyplot.close(figure)
    return np.ascontiguousarray(pixels)
