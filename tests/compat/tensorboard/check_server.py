"""TensorBoard itself serves every kind of data that our SummaryWriter leaves behind.

Run in the environment of check_summary_writer.py.
"""

import contextlib
import io
import json
import logging
import os
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from pathlib import Path

os.environ["MPLBACKEND"] = "agg"

import torch
from program import record
from tensorboard import program as tensorboard

from mindinsight_like import SummaryWriter

_LIMIT_SECONDS = 30


def main():
    """The exit status."""
    logging.disable(logging.WARNING)
    with tempfile.TemporaryDirectory() as scratch:
        with contextlib.redirect_stdout(io.StringIO()):
            record(SummaryWriter, str(Path(scratch, "run")), torch)
        server = tensorboard.TensorBoard()
        arguments = [None, "--logdir", scratch, "--port", "0", "--load_fast", "false"]
        server.configure(argv=arguments, reload_interval=3600)
        address = server.launch()
        failures = [name for name, check in CHECKS.items() if not _holds(name, check, address)]
    return 1 if failures else 0


def _holds(name, check, address):
    end = time.monotonic() + _LIMIT_SECONDS
    while True:
        try:
            found, problem = check(address), None
        except (OSError, LookupError, ValueError) as error:
            found, problem = False, error
        if found or time.monotonic() > end:
            print(f"{name:16} {'served' if found else f'MISSING {problem or str()}'}")
            return found
        time.sleep(0.5)  # it loads in a thread of its own


def _get(address, path, **parameters):
    url = f"{address.rstrip('/')}/data/plugin/{path}?{urllib.parse.urlencode(parameters)}"
    with urllib.request.urlopen(url, timeout=60) as answer:
        return answer.read()


def _json(address, path, **parameters):
    return json.loads(_get(address, path, **parameters))


def _scalars(address):
    found = _json(address, "scalars/scalars", run="run", tag="train/loss")
    return [[step, round(value, 5)] for _, step, value in found] == [[s, round(1 / (s + 1), 5)] for s in range(5)]


def _images(address):
    tags = _json(address, "images/tags")["run"]
    entry = _json(address, "images/images", run="run", tag="image/chw", sample=0)[0]
    shown = _get(address, "images/individualImage", **dict(urllib.parse.parse_qsl(entry["query"])))
    return {"video", "figure/1", "boxes/named"} <= set(tags) and shown.startswith(b"\x89PNG")


def _audio(address):
    entry = _json(address, "audio/audio", run="run", tag="tone", sample=0)[0]
    return _get(address, "audio/individualAudio", **dict(urllib.parse.parse_qsl(entry["query"]))).startswith(b"RIFF")


def _texts(address):
    return "<strong>bold</strong>" in _json(address, "text/text", run="run", tag="note/text_summary")[0]["text"]


def _histograms(address):
    _, step, buckets = _json(address, "histograms/histograms", run="run", tag="hist/tensorflow")[-1]
    return step == 2 and round(sum(count for _, _, count in buckets)) == 1000


def _curves(address):
    [curve] = _json(address, "pr_curves/pr_curves", run="run", tag="pr/weighted")["run"]
    return 25 < len(curve["thresholds"]) <= 31  # it leaves out those without any positive answer


def _meshes(address):
    found = _json(address, "mesh/meshes", run="run", tag="mesh")
    faces = _get(address, "mesh/data", run="run", tag="mesh", content_type="FACE", sample=0, step=3)
    return len(found) == 3 and len(faces) == 2 * 3 * 4


def _charts(address):
    [category] = _json(address, "custom_scalars/layout")["category"]
    return [chart["title"] for chart in category["chart"]] == ["both", "band"]


def _graph(address):
    return b"Conv2d[0]" in _get(address, "graphs/graph", run="run", conceptual="false")


def _hyper_parameters(address):
    found = _json(address, "hparams/experiment", request=json.dumps({"experimentName": ""}))
    return {info["name"] for info in found["hparamInfos"]} == {"lr", "layers", "optimizer"}


def _embeddings(address):
    [info] = [
        each for each in _json(address, "projector/info", run="run")["embeddings"] if "multi" in each["tensorName"]
    ]
    tensor = _get(address, "projector/tensor", run="run", name=info["tensorName"])
    labels = _get(address, "projector/metadata", run="run", name=info["tensorName"])
    return len(tensor) == 20 * 3 * 4 and labels.startswith(b"word\tindex")


CHECKS = {
    "scalars": _scalars,
    "add_scalars": lambda address: len(_json(address, "scalars/scalars", run="run/pair/sin", tag="pair")) == 5,
    "images": _images,
    "audio": _audio,
    "texts": _texts,
    "histograms": _histograms,
    "pr curves": _curves,
    "meshes": _meshes,
    "custom scalars": _charts,
    "graph": _graph,
    "hparams": _hyper_parameters,
    "embeddings": _embeddings,
}

if __name__ == "__main__":
    sys.exit(main())
