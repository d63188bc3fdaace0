"""Classification of the lines of an XPlane by plane and line name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from mindinsight_like.profiler.traces.trace import NOTHING, Activity, Place

_DEVICE = re.compile(r"^/device:(\w+):(\d+)")
# Lines that the profiler derives from the streams of a device, or that show its steps and programs.
_DERIVED: Final = frozenset(
    {
        "Steps",
        "XLA Modules",
        "XLA TraceMe",
        "Framework Ops",
        "Framework Name Scope",
        "TensorFlow Ops",
        "TensorFlow Name Scope",
        "Source code",
        "Source Code",
        "Launch Stats",
        "Async XLA Ops",
        "Scalar unit",
    }
)
_TENSORFLOW_OPERATOR = re.compile(r"^([\w./>\-]+):(_?[A-Z]\w*)$")  # "layer/MatMul:MatMul", "Relu:_MklRelu"
_EAGER_OPERATOR = re.compile(r"^EagerLocalExecute: ((?!__)\w+)$")  # not a function, whose operators are told apart
_PLAIN = re.compile(r"^[\w.\-/]+$")  # without the marks of C++ that names of the runtime have
_COLLECTIVE = re.compile(
    r"(?i)nccl|all-?reduce|all-?gather|reduce-?scatter|all-?to-?all|collective|\b(?:send|recv)(?:-done)?\b"
)
_LAUNCHES: Final = (
    "cuLaunch",
    "cudaLaunch",
    "cuMemcpy",
    "cudaMemcpy",
    "cuMemset",
    "hipLaunch",
    "ThunkExecutor::Execute",
)
_WAITS: Final = ("cuStreamSynchronize", "cuEventSynchronize", "cudaStreamSynchronize", "cuCtxSynchronize", "Wait for ")
_DATA: Final = ("Iterator::", "IteratorGetNext", "tf_data")
GET_NEXT: Final = "IteratorGetNext"  # what a step of TensorFlow waits for; the rest of tf.data runs ahead of it


@dataclass(frozen=True)
class Row:
    """A line: where it belongs, and how its events are understood."""

    process: str
    place: Place
    order: int
    device: int
    is_xla: bool = False  # operators of a compiled program, in order
    is_python: bool = False  # the thread that runs the user's script
    is_data: bool = False  # a thread of tf.data, whose operators prepare data

    def type_of(self, name: str) -> str:
        """The type of an event that has no category."""
        if (operator := _TENSORFLOW_OPERATOR.match(name)) is not None:
            return operator[2]
        if (operator := _EAGER_OPERATOR.match(name)) is not None:
            return operator[1]
        if self.is_xla:
            return re.sub(r"[.\d]+$", "", name.removeprefix("%").partition(" = ")[0]) or name
        return name

    def activity_of(self, name: str) -> Activity:
        """What an event is as far as its name tells."""
        if self.place == Place.LAYER:
            return Activity.OTHER
        if self.place == Place.DEVICE:
            return _on_device(name, Activity.OPERATOR if self.is_xla else Activity.KERNEL)
        activity = _on_host(name, self.is_python)
        return Activity.DATA if self.is_data and activity == Activity.OPERATOR else activity


def is_tensorflow_operator(name: str) -> bool:
    """Whether an event's name is that of an operator of TensorFlow with its type."""
    return _TENSORFLOW_OPERATOR.match(name) is not None


def without_type(name: str) -> str:
    """The name of TensorFlow's operator alone; other names as they are."""
    operator = _TENSORFLOW_OPERATOR.match(name) or _EAGER_OPERATOR.match(name)
    return name if operator is None else operator[1]


def row_of(plane: str, line: str) -> Row:
    """What a line of a plane is."""
    device = _DEVICE.match(plane)
    if device is None:
        process = "host" if plane == "/host:CPU" else plane.strip("/")
        is_python = line.startswith("python")
        is_data = line.startswith("tf_data_")
        return Row(process, Place.HOST, int(not is_python), NOTHING, is_python=is_python, is_data=is_data)
    number = int(device[2]) if len(device[2]) < 9 else NOTHING
    process = f"{device[1]} {device[2]}"
    # A GPU has streams, of which everything else is derived; a TPU's own line is that of its operators.
    is_derived = line in _DERIVED or (line == "XLA Ops" and device[1] == "GPU")
    place = Place.LAYER if is_derived else Place.DEVICE
    return Row(process, place, 0, number, is_xla=line in ("XLA Ops", "Async XLA Ops"))


def _on_device(name: str, otherwise: Activity) -> Activity:
    lower = name.lower()
    if lower.startswith(("memcpy", "copy-start", "copy-done")) or "memcpyd" in lower or "memcpyh" in lower:
        return Activity.COPY
    if lower.startswith("memset"):
        return Activity.FILL
    return Activity.COMMUNICATION if _COLLECTIVE.search(name) else otherwise


def _on_host(name: str, is_python: bool) -> Activity:
    if name.startswith("$"):
        return Activity.PYTHON
    if _TENSORFLOW_OPERATOR.match(name) or _EAGER_OPERATOR.match(name):
        return Activity.OPERATOR
    if name.startswith(_WAITS):
        return Activity.WAIT
    if name.startswith(_LAUNCHES):
        return Activity.LAUNCH
    if name.startswith(_DATA):
        return Activity.DATA
    return Activity.ANNOTATION if is_python and _PLAIN.match(name) else Activity.OTHER
