"""Our SummaryWriter, torch's and tensorboardX's leave the same behind, read with TensorBoard's own classes.

Run in an environment with tensorboard, tensorboardX, torch, onnx, matplotlib, moviepy, soundfile and mindinsight_like;
an argument names a folder of ONNX files to try, in place of those that come with onnx. Prints one line for every tag
and file, and fails when something differs that is not listed below with its reason.
"""

import contextlib
import io
import logging
import math
import os
import sys
import tempfile
from pathlib import Path

os.environ["MPLBACKEND"] = "agg"

import onnx
import tensorboardX
import torch
from program import record
from reading import accumulated, everything, graphs
from torch.utils.tensorboard import SummaryWriter as TorchWriter

from mindinsight_like import SummaryWriter

ONNX_FILES = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
WRITERS = {"ours": SummaryWriter, "torch": TorchWriter, "tensorboardX": tensorboardX.SummaryWriter}
RENAMED = {
    "torch": {("pair_sin", "pair"): ("pair/sin", "pair"), ("pair_cos", "pair"): ("pair/cos", "pair")},
    "tensorboardX": {
        (".", "no_step"): (".", "no step"),
        (".", "cloud_1"): (".", "cloud_VERTEX"),
        (".", "mesh_1"): (".", "mesh_VERTEX"),
        (".", "mesh_2"): (".", "mesh_FACE"),
        (".", "mesh_3"): (".", "mesh_COLOR"),
    },
}
LEFT_OUT = {"torch": {"titled"}, "tensorboardX": {"double", "new style"}}  # what they have no call for
OTHERWISE = {
    ("torch", "boxes/named"): "ours keeps the text inside its box",
    ("tensorboardX", "boxes/named"): "ours keeps the text inside its box",
    ("torch", "video"): "torch knows no moviepy 2 and writes nothing",
    ("tensorboardX", "mesh_VERTEX"): "tensorboardX does not say which parts there are",
    ("tensorboardX", "mesh_FACE"): "tensorboardX does not say which parts there are",
    ("tensorboardX", "mesh_COLOR"): "tensorboardX does not say which parts there are",
    ("tensorboardX", "cloud_VERTEX"): "tensorboardX does not say which parts there are",
    ("tensorboardX", "sprite.png"): "tensorboardX leaves unused places as the memory was",
    ("tensorboardX", "tone"): "the full scale is 32768, ours and torch's 32767",
}
KINDS = {
    "scalars": {"train/loss", "kinds", "odd", "no step"},
    "histograms": {"hist/tensorflow", "hist/auto", "hist/fd", "hist/torch", "hist/integers", "hist/equal", "hist/raw"},
    "images": {"image/chw", "images/nchw", "boxes/plain", "figure/1", "video"},
    "audio": {"tone"},
    "tensors": {"note/text_summary", "pr/plain", "mesh_VERTEX", "custom_scalars__config__", "tensor/torch.int64"},
}


def main():
    """The exit status."""
    logging.disable(logging.WARNING)
    failures = []
    with tempfile.TemporaryDirectory() as scratch:
        found = {}
        for name, writer in WRITERS.items():
            with contextlib.redirect_stdout(io.StringIO()):
                record(writer, str(Path(scratch, name)), torch)
            found[name] = everything(Path(scratch, name))
        for peer in RENAMED:
            failures += differences(peer, found["ours"], found[peer])
        failures += unknown_to_the_accumulator(Path(scratch, "ours"))
        for path in sorted(Path(sys.argv[1] if len(sys.argv) > 1 else ONNX_FILES).glob("*.onnx")):
            failures += onnx_differences(path, Path(scratch))
    print(f"{len(failures)} differences" if failures else "everything is as in the originals")
    return 1 if failures else 0


def differences(peer, ours, theirs):
    """Tags and files that are not the same, without reason."""
    theirs = {RENAMED[peer].get(key, key): content for key, content in theirs.items()}
    failures = []
    for folder, tag in sorted(set(ours) | set(theirs)):
        reason = OTHERWISE.get((peer, tag))
        if (folder, tag) not in theirs and (tag in LEFT_OUT[peer] or tag.startswith("tensor/")):
            verdict = "ours only"
        elif is_close(ours.get((folder, tag)), theirs.get((folder, tag))):
            verdict = "same"
        else:
            verdict = f"otherwise: {reason}" if reason else "DIFFERENT"
            failures += [] if reason else [tag]
        print(f"{peer:13} {folder:22} {tag:35} {verdict}")
    return failures


def unknown_to_the_accumulator(folder):
    """Tags that TensorBoard's EventAccumulator does not find, or under another kind."""
    found = accumulated(folder)
    missing = [tag for kind, tags in KINDS.items() for tag in tags - set(found[kind])]
    print("EventAccumulator", f"does not find {missing}" if missing else "finds every kind", "graph" * found["graph"])
    return missing if found["graph"] else [*missing, "graph"]


def onnx_differences(path, scratch):
    """Operations of an ONNX file that torch's writer shows and ours does not, by type and input."""
    from torch.utils.tensorboard._onnx_graph import load_onnx_graph

    with contextlib.redirect_stdout(io.StringIO()):
        theirs = {node.name.lstrip("/"): node.op for node in load_onnx_graph(str(path)).node if node.op != "Variable"}
    folder = scratch / path.stem
    with SummaryWriter(folder) as writer:
        writer.add_graph(path)
    [graph] = graphs(folder)
    ours = {node.name: node for node in graph.node}
    missing = [name for name, kind in theirs.items() if name not in ours or ours[name].op != kind]
    loose = [name for node in graph.node for name in node.input if name.split(":")[0] not in ours]
    print(f"onnx          {path.name}: {len(theirs)} operations,", "DIFFERENT" if missing or loose else "same")
    return missing + loose


def is_close(left, right):
    """Equal, numbers to single precision."""
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        return len(left) == len(right) and all(map(is_close, left, right))
    if isinstance(left, float) and isinstance(right, float):
        return math.isclose(left, right, rel_tol=1e-6) or (math.isnan(left) and math.isnan(right))
    return left == right


if __name__ == "__main__":
    sys.exit(main())
