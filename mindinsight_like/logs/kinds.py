"""Kinds of data and log dialects, with the byte keys that identify a series."""

from enum import IntEnum
from typing import NamedTuple


class Kind(IntEnum):
    """Kinds of logged data; the numbers are stored in the index, so they never change."""

    SCALAR = 0
    IMAGE = 1
    HISTOGRAM = 2
    TEXT = 3
    AUDIO = 4
    VIDEO = 5
    TENSOR = 6
    GRAPH = 7
    EMBEDDING = 8
    PR_CURVE = 9
    ROC_CURVE = 10
    MESH = 11
    LANDSCAPE = 12
    HPARAMS = 13
    CUSTOM_SCALARS = 14
    LINEAGE = 15
    RUN_METADATA = 16
    META = 17
    SESSION = 18
    EXPLAIN = 19
    PROFILE = 20
    TABLE = 21
    CONSOLE = 22  # steps are numbers of lines


class Dialect(IntEnum):
    """Ways of writing a log file; the numbers are stored in the index."""

    TENSORBOARD = 0
    MINDSPORE = 1
    MINDSPORE_LINEAGE = 2
    VISUALDL = 3
    VISUALDL_LEGACY = 4
    # Files that are one record as a whole, see `whole_files`.
    MINDSPORE_MODEL = 5
    TENSORFLOW_MODEL = 6
    VISUALDL_GRAPH = 7
    PADDLE_PROGRAM = 8
    PADDLE_PIR = 9
    ONNX = 10
    PROJECTOR_CONFIG = 11
    LINEAGE_RECORD = 12
    PROFILE = 13
    RUN_STATE = 14  # no log: what a writer says of its run
    # Logs of other trackers and training libraries, see `trackers`.
    WANDB = 20
    SWANLAB = 21
    MLFLOW_RUN = 22
    MLFLOW_DATABASE = 23
    TRACKIO = 24
    OPTUNA_DATABASE = 25
    OPTUNA_JOURNAL = 26
    DVCLIVE = 27
    SACRED = 28
    CLEARML = 29
    COMET = 30
    NEPTUNE = 31
    AIM = 32
    LIGHTNING_CSV = 33
    KERAS_CSV = 34
    HUGGING_FACE = 35
    ULTRALYTICS = 36
    RAY = 37
    STABLE_BASELINES = 38
    MMENGINE = 39
    FASTAI = 40
    XGBOOST = 41
    LIGHTGBM = 42
    CATBOOST = 43
    JSON_LINES = 44
    CSV = 45
    TEXT_LOG = 46
    OWN_CONSOLE = 47  # what our own runs print


TRACKER_DIALECTS = frozenset(dialect for dialect in Dialect if dialect >= Dialect.WANDB)


class SeriesName(NamedTuple):
    """A series as people know it; `sub` is the key inside a VisualDL `add_scalars` group, otherwise empty."""

    kind: Kind
    tag: str
    sub: str


def series_key(kind: int, tag: str, sub: str = "") -> bytes:
    """The bytes that identify a series within one log file: kind, tag and, after a zero byte, the sub-key."""
    key = bytes([kind]) + tag.encode(errors="replace")
    return key + b"\0" + sub.encode(errors="replace") if sub else key


def parse_key(key: bytes) -> SeriesName:
    """The reverse of `series_key`; bytes that are not UTF-8 become replacement characters."""
    tag, _, sub = key[1:].partition(b"\0")
    return SeriesName(Kind(key[0]), tag.decode(errors="replace"), sub.decode(errors="replace"))
