"""The readers of all trackers, imported when a folder first has something for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from importlib import import_module
from typing import NamedTuple, cast

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.trackers.reader import Folder, RecognisedLog, TrackerReader


class _Signs(NamedTuple):
    """By which names in a folder it is worth asking a reader."""

    module: str  # in `readers`
    reader: str
    names: frozenset[str] = frozenset()  # of files or folders
    endings: tuple[str, ...] = ()  # of files
    beginnings: tuple[str, ...] = ()  # of files or folders


_DATABASES = (".db", ".sqlite", ".sqlite3")
_CSV = (".csv", ".tsv")
_TEXT = (".log", ".out")

# In the order in which they are asked: what one claims is not offered to those after it.
_READERS: dict[Dialect, _Signs] = {
    Dialect.OWN_CONSOLE: _Signs("own_console", "OwnConsoleReader", beginnings=("mindinsight_like.console.",)),
    Dialect.WANDB: _Signs("wandb.reader", "WandbReader", endings=(".wandb",)),
    Dialect.SWANLAB: _Signs("swanlab", "SwanLabReader", endings=(".swanlab",)),
    Dialect.MLFLOW_RUN: _Signs("mlflow_run", "MlflowRunReader", frozenset({"meta.yaml", "metrics"})),
    Dialect.AIM: _Signs("aim", "AimReader", frozenset({"run_metadata.sqlite"})),
    Dialect.MLFLOW_DATABASE: _Signs("databases.readers", "MlflowDatabaseReader", endings=_DATABASES),
    Dialect.TRACKIO: _Signs("databases.readers", "TrackioReader", endings=_DATABASES),
    Dialect.OPTUNA_DATABASE: _Signs("databases.readers", "OptunaDatabaseReader", endings=_DATABASES),
    Dialect.DVCLIVE: _Signs("dvclive", "DvcliveReader", frozenset({"plots"})),
    Dialect.SACRED: _Signs("sacred", "SacredReader", frozenset({"run.json"})),
    Dialect.CLEARML: _Signs("clearml", "ClearmlReader", frozenset({"task.json"}), endings=(".zip",)),
    Dialect.COMET: _Signs("comet", "CometReader", endings=(".zip",)),
    Dialect.NEPTUNE: _Signs("neptune", "NeptuneReader", endings=("_part_0.parquet",)),
    Dialect.OPTUNA_JOURNAL: _Signs(
        "optuna_journal", "OptunaJournalReader", endings=(".log", ".journal", ".jsonl", ".json")
    ),
    Dialect.RAY: _Signs("ray_tune", "RayReader", frozenset({"result.json", "progress.csv"})),
    Dialect.HUGGING_FACE: _Signs(
        "huggingface", "HuggingFaceReader", frozenset({"trainer_state.json"}), beginnings=("checkpoint-",)
    ),
    Dialect.MMENGINE: _Signs("mmengine", "MMEngineReader", frozenset({"scalars.json"})),
    Dialect.CATBOOST: _Signs("catboost", "CatBoostReader", frozenset({"learn_error.tsv", "test_error.tsv"})),
    Dialect.STABLE_BASELINES: _Signs(
        "stable_baselines",
        "StableBaselinesReader",
        frozenset({"progress.csv", "progress.json"}),
        endings=("monitor.csv",),
    ),
    Dialect.LIGHTNING_CSV: _Signs("lightning_csv", "LightningReader", frozenset({"metrics.csv", "hparams.yaml"})),
    Dialect.ULTRALYTICS: _Signs("csv_logs", "UltralyticsReader", frozenset({"results.csv"})),
    Dialect.FASTAI: _Signs("csv_logs", "FastaiReader", endings=(".csv",)),
    Dialect.KERAS_CSV: _Signs("csv_logs", "KerasReader", endings=(*_CSV, ".log")),
    Dialect.JSON_LINES: _Signs(
        "json_lines",
        "JsonLinesReader",
        frozenset({"log.txt", "metrics.json", "log.json"}),
        endings=(".jsonl", ".ndjson"),
    ),
    Dialect.CSV: _Signs("csv_logs", "CsvReader", endings=(".csv",)),
    Dialect.XGBOOST: _Signs("boosting_logs", "XGBoostReader", endings=_TEXT),
    Dialect.LIGHTGBM: _Signs("boosting_logs", "LightGBMReader", endings=_TEXT),
    Dialect.TEXT_LOG: _Signs("text_logs", "TextLogReader", endings=(*_TEXT, ".err")),
}


def has_signs(names: Sequence[str]) -> bool:
    """Whether any reader is worth being asked about a folder that holds these names; most folders have nothing."""
    names_of_logs, endings, beginnings = _all_signs()
    return not names_of_logs.isdisjoint(names) or any(
        name.endswith(endings) or name.startswith(beginnings) for name in names
    )


@cache
def _all_signs() -> tuple[frozenset[str], tuple[str, ...], tuple[str, ...]]:
    signs = _READERS.values()
    names_of_logs = frozenset(name for each in signs for name in each.names)
    endings = {ending for each in signs for ending in each.endings}
    beginnings = {beginning for each in signs for beginning in each.beginnings}
    return names_of_logs, tuple(sorted(endings)), tuple(sorted(beginnings))


@cache
def reader_of(dialect: Dialect) -> TrackerReader:
    """The reader of a dialect."""
    signs = _READERS[dialect]
    module = import_module(f"mindinsight_like.trackers.readers.{signs.module}")
    return cast(TrackerReader, getattr(module, signs.reader)())


def recognise(folder: Folder) -> Iterator[tuple[Dialect, RecognisedLog]]:
    """The logs that begin in a folder, each with its dialect."""
    claimed: set[str] = set()
    for dialect in _with_signs(_signs_of(folder.files, folder.folders)):
        left = folder if not claimed else Folder(folder.name, folder.files - claimed, folder.folders, folder.head)
        for log in reader_of(dialect).recognise(left):
            claimed |= log.claimed_files
            yield dialect, log


def _signs_of(files: frozenset[str], folders: frozenset[str]) -> frozenset[str]:
    """The signs that names have: `name`, `*ending` and `beginning*`; folders of the same sort have the same ones."""
    names_of_logs, endings, beginnings = _all_signs()
    signs = {*(names_of_logs & files), *(names_of_logs & folders)}
    for name in files:
        if name.endswith(endings):
            signs.update(f"*{ending}" for ending in endings if name.endswith(ending))
        if name.startswith(beginnings):
            signs.update(f"{beginning}*" for beginning in beginnings if name.startswith(beginning))
    for name in folders:
        if name.startswith(beginnings):
            signs.update(f"{beginning}*" for beginning in beginnings if name.startswith(beginning))
    return frozenset(signs)


@lru_cache(maxsize=4096)
def _with_signs(signs: frozenset[str]) -> tuple[Dialect, ...]:
    """The dialects whose readers are to be asked, in the order of asking."""
    return tuple(
        dialect
        for dialect, each in _READERS.items()
        if not each.names.isdisjoint(signs)
        or any(f"*{ending}" in signs for ending in each.endings)
        or any(f"{beginning}*" in signs for beginning in each.beginnings)
    )
