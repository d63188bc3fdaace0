"""Write embeddings as files for TensorBoard's projector: vectors, labels, small pictures, and a list of all."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mindinsight_like.writers.encoding.images import grid, png, to_bytes

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[Any]

MOST_SPRITE_PIXELS = 8192  # on one side; larger ones are not shown by TensorBoard's page
_LIST = "projector_config.pbtxt"


def folder_name(tag: str, step: int) -> str:
    """Where the files of an embedding stand, below the folder of the run."""
    encoded = tag.replace("%", "%25").replace("/", "%2f").replace("\\", "%5c")
    return f"{step:05d}/{encoded}"


def label_rows(metadata: Sequence[Any], header: Sequence[str] | None, *, points: int) -> list[str]:
    """The lines of the labels' file, with the header first if there is one; raises ValueError when they do not fit."""
    if len(metadata) != points:
        raise ValueError(f"{len(metadata)} labels for {points} points")
    if not header:
        return [_cell(label) for label in metadata]
    for row in metadata:
        if len(row) != len(header):
            raise ValueError(f"each label needs {len(header)} columns, like metadata_header; got {row!r}")
    return ["\t".join(map(_cell, row)) for row in [header, *metadata]]


def sprite(images: Array, *, points: int) -> Array:
    """All label images (number, channels, rows, columns) in one square of places, as bytes."""
    import numpy as np

    if images.ndim != 4 or images.shape[0] != points:
        raise ValueError(f"label_img must have the shape ({points}, channels, rows, columns), not {images.shape}")
    if images.shape[1] not in (1, 3, 4):
        raise ValueError(f"label_img must have 1, 3 or 4 channels, not {images.shape[1]}")
    side = math.ceil(math.sqrt(points))
    pixels = to_bytes(images.transpose(0, 2, 3, 1))
    if pixels.shape[3] == 1:
        pixels = np.repeat(pixels, 3, axis=3)
    filled = np.concatenate([pixels, np.zeros((side * side - points, *pixels.shape[1:]), np.uint8)])
    return grid(filled, columns=side)


def write_embedding(
    run: Path,
    tag: str,
    step: int,
    points: Array,
    labels: list[str] | None,
    pictures: Array | None,
    picture_size: tuple[int, int],
) -> bytes:
    """Write the files and list them; gives no bytes, since none belong into the event file."""
    name = folder_name(tag, step)
    folder = run / name
    folder.mkdir(parents=True, exist_ok=True)
    rows = ("\t".join(map(repr, row)) + "\n" for row in points.tolist())
    _replace(folder / "tensors.tsv", "".join(rows).encode())
    entry = [f"tensor_name: {_quoted(f'{tag}:{step:05d}')}"]
    if labels is not None:
        _replace(folder / "metadata.tsv", ("\n".join(labels) + "\n").encode())
        entry.append(f"metadata_path: {_quoted(f'{name}/metadata.tsv')}")
    if pictures is not None:
        _replace(folder / "sprite.png", png(pictures))
        width, height = picture_size
        entry.append("sprite {")
        entry.append(f"  image_path: {_quoted(f'{name}/sprite.png')}")
        entry += [f"  single_image_dim: {width}", f"  single_image_dim: {height}", "}"]
    entry.append(f"tensor_path: {_quoted(f'{name}/tensors.tsv')}")
    _list(run / _LIST, "embeddings {\n" + "".join(f"  {line}\n" for line in entry) + "}\n")
    return b""


def _list(path: Path, entry: str) -> None:
    if path.exists() and entry in path.read_text(encoding="utf-8"):
        path.touch()  # written anew at the same step; readers look at the list
        return
    with path.open("a", encoding="utf-8") as listed:
        listed.write(entry)


def _replace(path: Path, content: bytes) -> None:
    """Readers see the file as it was or as it will be."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    part.write_bytes(content)
    part.replace(path)


def _cell(value: Any) -> str:
    return str(value).replace("\t", " ").replace("\r", " ").replace("\n", " ")


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)  # its escapes are those of protobuf's text format, too
