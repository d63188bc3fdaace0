"""TensorBoard, measured beside us: its data server alone, its web server over HTTP, and tensorboardX as its writer."""

from __future__ import annotations

import json
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from .environments import make_environment
from .processes import Cost, cpu_seconds, free_port, peak_mb, running, wait_for
from .shapes import Shape

_PACKAGES = (
    "tensorboard==2.21.0",
    "tensorboard-data-server==0.7.2",
    "tensorboardX==2.6.5",
    "setuptools<80",  # tensorboard imports pkg_resources
)
_LOADED = "Finished load cycle"


@dataclass(frozen=True)
class TensorBoard:
    """An installed TensorBoard."""

    folder: Path

    @property
    def data_server(self) -> Path:
        """The program that reads the logs for TensorBoard's web server."""
        return next(self.folder.glob("lib/python3*/site-packages/tensorboard_data_server/bin/server"))

    def load(self, logs: Path, scratch: Path) -> Cost:
        """What the data server spends on its first load as TensorBoard starts it: 1,000 samples per tag."""
        log = scratch / "data-server.log"
        started = time.perf_counter()
        command: list[str | Path] = [self.data_server, "-v", "--logdir", logs, "--port", "0", "--reload", "once"]
        with running(command, log=log) as process:
            wait_for(lambda: _LOADED in log.read_text(errors="replace"), process, log=log, every=0.02)
            return Cost(cpu_seconds(process), time.perf_counter() - started, peak_mb(process))

    @contextmanager
    def serving(self, logs: Path, shape: Shape, scratch: Path) -> Iterator[Server]:
        """The web server with the data server behind it, once every run has been loaded to its last step."""
        port, log = free_port(), scratch / "tensorboard.log"
        address = f"http://127.0.0.1:{port}/data/plugin"
        command: list[str | Path] = [self.folder / "bin" / "tensorboard", "--logdir", logs, "--load_fast=true"]
        with running([*command, "--host", "127.0.0.1", "--port", str(port)], log=log) as process:
            wait_for(lambda: _is_loaded(address, shape), process, log=log, every=0.3)
            yield Server(address)


@dataclass(frozen=True)
class Server:
    """A TensorBoard that answers."""

    address: str

    def one_tag_of_all_runs(self, tag: str) -> bytes:
        """The body its own page asks for to draw one chart."""
        asked = json.dumps([{"plugin": "scalars", "tag": tag}])
        return _get(f"{self.address}/timeseries/timeSeries", {"requests": asked})


def install(folder: Path) -> TensorBoard:
    """TensorBoard in an environment of its own, made at the first call."""
    make_environment(folder, _PACKAGES)
    return TensorBoard(folder)


def _is_loaded(address: str, shape: Shape) -> bool:
    try:
        tags = json.loads(_get(f"{address}/scalars/tags"))
        if sum(map(len, tags.values())) < shape.runs * shape.tags:
            return False
        asked = [("tag", shape.tag_names[-1]), *(("runs", run) for run in shape.run_names)]
        series = json.loads(_get(f"{address}/scalars/scalars_multirun", asked))
    except OSError:
        return False
    return all(run in series and series[run][-1][1] == shape.steps for run in shape.run_names)


def _get(url: str, form: dict[str, str] | list[tuple[str, str]] | None = None) -> bytes:
    body = urllib.parse.urlencode(form).encode() if form else None
    with urllib.request.urlopen(url, body, timeout=120) as answer:
        content: bytes = answer.read()
        return content
