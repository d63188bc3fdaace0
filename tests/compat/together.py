"""Use our writers in one process with another library, imported before them or after: `together.py first torch`.

Runs in the environment of that library. Prints its version and that of protobuf.
"""

import importlib
import os
import sys
import tempfile
from importlib import metadata
from pathlib import Path

os.environ.setdefault("KERAS_BACKEND", "torch")

DISTRIBUTIONS = {"paddle": "paddlepaddle", "tensorflow": "tensorflow-cpu"}


def main() -> None:
    order, library = sys.argv[1:]
    if order == "first":
        importlib.import_module(library)
    import mindinsight_like as mi

    if order == "second":
        record(mi, 1)
        importlib.import_module(library)
    record(mi, 2)
    version = metadata.version(DISTRIBUTIONS.get(library, library))
    print(f"{library} {version} with protobuf {metadata.version('protobuf')}")


def record(mi, number):
    """Write with all three writers, and read each back with our reader."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with mi.SummaryWriter(folder / "tensorboard") as writer:
            writer.add_scalar("loss", number, number)
            writer.add_histogram("weights", [1.0, 2.0, 3.0], number)
        with mi.LogWriter(str(folder / "visualdl")) as writer:
            writer.add_scalar("loss", number, number)
        with mi.SummaryRecord(folder / "mindspore") as writer:
            writer.add_value("scalar", "loss", number)
            writer.record(number)
        found = mi.open(folder).scalars(tag="loss")
        assert found["run"].nunique() == 3, found
        assert set(found["step"]) == set(found["value"]) == {number}, found


if __name__ == "__main__":
    main()
