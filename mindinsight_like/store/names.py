"""API names of the kinds of data, and the encoding of series keys as text for the database."""

from __future__ import annotations

import re
from functools import lru_cache

from mindinsight_like.logs.kinds import Dialect, Kind, SeriesName, parse_key, series_key

# The kinds a run's tag list shows, in the order of the boards.
SHOWN_KINDS = {
    Kind.SCALAR: "scalars",
    Kind.IMAGE: "images",
    Kind.HISTOGRAM: "histograms",
    Kind.TEXT: "text",
    Kind.AUDIO: "audio",
    Kind.VIDEO: "video",
    Kind.TENSOR: "tensors",
    Kind.GRAPH: "graphs",
    Kind.EMBEDDING: "embeddings",
    Kind.PR_CURVE: "pr_curves",
    Kind.ROC_CURVE: "roc_curves",
    Kind.MESH: "meshes",
    Kind.LANDSCAPE: "landscapes",
    Kind.TABLE: "tables",
}
PROFILES = "profiles"  # recordings, of which one may have many files
# Counted for a run beside the shown ones.
COUNTED_KINDS = {
    **SHOWN_KINDS,
    Kind.HPARAMS: "hparams",
    Kind.CUSTOM_SCALARS: "custom_scalars",
    Kind.LINEAGE: "lineage",
    Kind.PROFILE: PROFILES,
    Kind.CONSOLE: "console",
}
# Their records are no values at steps: each says something of its own.
WITHOUT_STEPS = frozenset(
    {
        Kind.GRAPH,
        Kind.HPARAMS,
        Kind.CUSTOM_SCALARS,
        Kind.LINEAGE,
        Kind.RUN_METADATA,
        Kind.META,
        Kind.SESSION,
        Kind.EXPLAIN,
        Kind.PROFILE,
        Kind.CONSOLE,
    }
)
PIPELINES = "pipelines"  # counted apart: lineage under this tag is a run's data pipeline
PIPELINE_TAG = "dataset_graph"

DIALECT_NAMES = {
    Dialect.TENSORBOARD: "tensorboard",
    Dialect.MINDSPORE: "mindspore",
    Dialect.MINDSPORE_LINEAGE: "mindspore",
    Dialect.VISUALDL: "visualdl",
    Dialect.VISUALDL_LEGACY: "visualdl",
    Dialect.MINDSPORE_MODEL: "mindspore",
    Dialect.TENSORFLOW_MODEL: "tensorflow",
    Dialect.VISUALDL_GRAPH: "visualdl",
    Dialect.PADDLE_PROGRAM: "paddle",
    Dialect.PADDLE_PIR: "paddle",
    Dialect.ONNX: "onnx",
    Dialect.PROJECTOR_CONFIG: "tensorboard",
    Dialect.LINEAGE_RECORD: "lineage",
    Dialect.PROFILE: "profile",
    Dialect.RUN_STATE: "state",
    Dialect.WANDB: "wandb",
    Dialect.SWANLAB: "swanlab",
    Dialect.MLFLOW_RUN: "mlflow",
    Dialect.MLFLOW_DATABASE: "mlflow",
    Dialect.TRACKIO: "trackio",
    Dialect.OPTUNA_DATABASE: "optuna",
    Dialect.OPTUNA_JOURNAL: "optuna",
    Dialect.DVCLIVE: "dvclive",
    Dialect.SACRED: "sacred",
    Dialect.CLEARML: "clearml",
    Dialect.COMET: "comet",
    Dialect.NEPTUNE: "neptune",
    Dialect.AIM: "aim",
    Dialect.LIGHTNING_CSV: "lightning",
    Dialect.KERAS_CSV: "keras",
    Dialect.HUGGING_FACE: "huggingface",
    Dialect.ULTRALYTICS: "ultralytics",
    Dialect.RAY: "ray",
    Dialect.STABLE_BASELINES: "stable-baselines3",
    Dialect.MMENGINE: "mmengine",
    Dialect.FASTAI: "fastai",
    Dialect.XGBOOST: "xgboost",
    Dialect.LIGHTGBM: "lightgbm",
    Dialect.CATBOOST: "catboost",
    Dialect.JSON_LINES: "jsonl",
    Dialect.CSV: "csv",
    Dialect.TEXT_LOG: "text",
    Dialect.OWN_CONSOLE: "console",
}

_LOOKS_ESCAPED = re.compile(rb"\\x[0-9a-f]{2}")


@lru_cache(maxsize=65_536)  # the runs of a base dir mostly share their tags
def stored_name(key: bytes) -> tuple[SeriesName, bytes | None]:
    """A series' name as text, and the key itself where the text does not lead back to it."""
    name = parse_key(key)
    if "\0" not in name.sub and series_key(*name) == key and not _LOOKS_ESCAPED.search(key):
        return name, None
    # Two keys never get the same text: only escaped ones look escaped.
    text = key[1:].replace(b"\\", b"\\\\").decode(errors="backslashreplace").replace("\0", "\\x00")
    return SeriesName(name.kind, text, ""), key
