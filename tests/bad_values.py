"""Values that nobody can show, each beside one of its kind that everybody can: what boards have to survive."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mindinsight_like.writers.encoding import mindspore, tensorboard, visualdl, wire
from mindinsight_like.writers.encoding.audio import Sound, wav
from mindinsight_like.writers.encoding.images import png
from mindinsight_like.writers.encoding.videos import gif

START = 1_750_000_000.25
GOOD = "good"

_PICTURE = png(np.full((8, 16, 3), (200, 10, 10), np.uint8))
_GIF = gif(np.random.default_rng(0).integers(0, 255, (3, 8, 16, 3), np.uint8), fps=10)
_TONE = wav((np.sin(np.arange(4000) / 5) * 9000).astype(np.int16)[:, None], sample_rate=8000)


def chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def png_of(width: int, height: int, data: bytes) -> bytes:
    """A PNG file with one bit for each pixel and any bytes as its content."""
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def gif_of(width: int, height: int, frame_sizes: Sequence[tuple[int, int]]) -> bytes:
    """An animated GIF whose frames claim sizes of their own and hold next to nothing."""
    frames = b"".join(
        b"\x21\xf9\x04\x00\x0a\x00\x00\x00" + b"\x2c" + struct.pack("<HHHHB", 0, 0, *size, 0) + b"\x02\x02\x4c\x01\x00"
        for size in frame_sizes
    )
    return b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0) + b"\x00\x00\x00\xff\xff\xff" + frames + b"\x3b"


def image(tag: str, file: bytes) -> bytes:
    return tensorboard.image(tag, file, width=16, height=8)


def raw_tensor(tag: str, dtype: int, shape: Sequence[int], content: bytes, plugin: str) -> bytes:
    """A tensor that claims a shape and has any content."""
    sizes = b"".join(wire.blob(2, wire.integer(1, size)) for size in shape)
    tensor = wire.integer(1, dtype) + wire.blob(2, sizes) + wire.blob(4, content)
    metadata = wire.blob(9, wire.blob(1, wire.text(1, plugin)))
    return wire.text(1, tag) + wire.blob(8, tensor) + metadata


def _histogram(tag: str, edges: Sequence[float]) -> bytes:
    return tensorboard.raw_histogram(tag, (0.0, 1.0, 3.0, 1.0, 1.0), limits=edges, counts=[1.0] * len(edges))


# Of each kind, by the name of its route: tags with what is wrong under them, and one that is good.
VALUES: dict[str, list[bytes]] = {
    "images": [
        image("images/not-decodable", png_of(16, 8, b"this is no deflate stream")),
        image("images/no-picture", b"<svg onload='alert(1)'/>"),
        image("images/bomb", png_of(100_000, 100_000, zlib.compress(bytes(1000)))),
        image("images/large-bomb", png_of(16_000, 16_000, zlib.compress(bytes(16_000 * 2001)))),
        image("images/" + GOOD, _PICTURE),
    ],
    "video": [
        image("video/bomb", gif_of(65_535, 65_535, [(65_535, 65_535)])),
        image("video/frame-bomb", gif_of(16, 8, [(65_535, 65_535)] * 500)),
        image("video/truncated", _GIF[: len(_GIF) // 2]),
        image("video/" + GOOD, _GIF),
    ],
    "histograms": [
        _histogram("histograms/nan-edges", [0.0, float("nan"), 1.0]),
        _histogram("histograms/descending", [2.0, 1.0, 0.0]),
        tensorboard.histogram("histograms/" + GOOD, [0.0, 1.0, 2.0], [1, 2], total=1.0, sum_squares=1.0),
    ],
    "texts": [
        tensorboard.tensor("texts/no-text", np.zeros(2, np.float32), plugin="text"),
        tensorboard.strings("texts/not-utf8", [b"caf\xe9 \xff\xfe"], shape=(1,), plugin="text"),
        tensorboard.strings("texts/" + GOOD, [b"fine"], shape=(1,), plugin="text"),
    ],
    "audio": [
        tensorboard.audio("audio/no-sound", Sound(b"not a sound", 8000, 1, 1)),
        tensorboard.audio("audio/truncated", Sound(_TONE.file[: len(_TONE.file) // 2], 8000, 1, 4000)),
        tensorboard.audio("audio/" + GOOD, _TONE),
    ],
    "tensors": [
        raw_tensor("tensors/does-not-fit", 1, [3, 4], bytes(4 * 5), "mine"),
        raw_tensor("tensors/bomb", 1, [2**40], b"", "mine"),
        raw_tensor("tensors/unknown-type", 99, [1], bytes(4), "mine"),
        tensorboard.tensor("tensors/" + GOOD, np.arange(12, dtype=np.float32).reshape(3, 4), plugin="mine"),
    ],
    "pr-curves": [
        tensorboard.tensor("pr/five-rows", np.zeros((5, 4), np.float32), plugin="pr_curves"),
        tensorboard.tensor("pr/" + GOOD, np.ones((6, 4), np.float32), plugin="pr_curves"),
    ],
    "meshes": [
        tensorboard.tensor("mesh_flat_VERTEX", np.zeros((4, 3), np.float32), plugin="mesh"),
        tensorboard.tensor("mesh_good_VERTEX", np.random.default_rng(0).random((1, 9, 3)), plugin="mesh"),
    ],
}
# Those that can be had nevertheless, in part or with a warning.
SHOWN = {
    "images/not-decodable", "images/large-bomb", "video/frame-bomb", "video/truncated", "texts/not-utf8",
    "audio/truncated",
}  # fmt: skip


def is_good(tag: str) -> bool:
    return GOOD in tag


def tag_of(value: bytes) -> str:
    length = value[1]
    return value[2 : 2 + length].decode()


def write_bad_runs(base_dir: Path) -> None:
    """The run `bad` with all of the above; `vectors` and `landscape` with those of VisualDL and MindSpore."""
    folder = base_dir / "bad"
    folder.mkdir(parents=True)
    values = [value for of_kind in VALUES.values() for value in of_kind]
    event = tensorboard.event(values, step=0, wall_time=START)
    opening = tensorboard.frame(tensorboard.opening(START))
    (folder / tensorboard.file_name(START, host="host")).write_bytes(opening + tensorboard.frame(event))
    _write_vectors(base_dir / "vectors")
    _write_landscape(base_dir / "landscape")


def _write_vectors(folder: Path) -> None:
    folder.mkdir()

    def vectors(*lengths: int) -> bytes:
        packed = [visualdl.packed_singles([0.5] * length) for length in lengths]
        return visualdl.embeddings(packed, [[f"word{place}"] for place in range(len(lengths))], [])

    records = [
        visualdl.opening("", wall_time=START),
        visualdl.record("uneven", vectors(3, 4), step=0, wall_time=START),
        visualdl.record(GOOD, vectors(3, 3, 3, 3), step=0, wall_time=START),
    ]
    (folder / visualdl.file_name(START)).write_bytes(b"".join(map(visualdl.frame, records)))


def _write_landscape(folder: Path) -> None:
    folder.mkdir()
    point = wire.blob(1, wire.blob(1, wire.blob(1, wire.blob(1, b"\x02") + wire.integer(2, 11))))
    bad = mindspore.landscape("bad", point)
    (folder / mindspore.file_name(START, host="host")).write_bytes(
        tensorboard.frame(mindspore.opening(START))
        + tensorboard.frame(mindspore.event([bad, mindspore.scalar("loss", 1.0)], step=1, wall_time=START))
    )
