"""Hugging Face's trainer: trainer_state.json in the folder of a training and in each of its checkpoints.

Each repeats all rows before it, so a training is one run: the state that got furthest is read, and checkpoints are
places in it. A state is written whole each time; one that cannot be parsed is named, and the next one counts.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator, Sequence
from typing import Any, Final

import orjson

from mindinsight_like.logs.batch import Damage
from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.trackers import cursors, documents
from mindinsight_like.trackers.point_rows import PointRows
from mindinsight_like.trackers.reader import Folder, Log, LogUnreadable, RecognisedLog, RunSlice, Slice
from mindinsight_like.trackers.source import Source

_STATE: Final = "trainer_state.json"
_CHECKPOINT: Final = re.compile(r"checkpoint-(\d{1,18})")
_KEYS: Final = (b'"global_step"', b'"log_history"')
_MOST_BYTES: Final = 512 * 1024 * 1024
_MOST_CHECKPOINTS: Final = 10_000


class HuggingFaceReader:
    """Reads the folders of trainings."""

    dialect = Dialect.HUGGING_FACE
    is_store = False

    def recognise(self, folder: Folder) -> Iterator[RecognisedLog]:
        checkpoints = frozenset(name for name in folder.folders if _CHECKPOINT.fullmatch(name))
        states = [_STATE] if _STATE in folder.files else []
        states += [f"{name}/{_STATE}" for name in sorted(checkpoints, key=_step_of)]
        # The first ones are enough: who has checkpoints of something else has none of these.
        if any(all(key in folder.head(name) for key in _KEYS) for name in states[:3]):
            yield RecognisedLog(folder.name, folder.name, frozenset({_STATE}) & folder.files, checkpoints)

    def members(self, source: Source, name: str) -> Sequence[str]:
        top = "" if name == "." else f"{name}/"
        entries = source.list(name)
        checkpoints = [each.name for each in entries if each.is_folder and _CHECKPOINT.fullmatch(each.name)]
        checkpoints.sort(key=_step_of, reverse=True)
        return [f"{top}{_STATE}", *(f"{top}{each}/{_STATE}" for each in checkpoints[:_MOST_CHECKPOINTS])]

    def read(self, log: Log) -> Slice:
        run = RunSlice(starts_over=bool(log.cursor))
        top = "" if log.name == "." else f"{log.name}/"
        names = sorted((name for name in log.versions if name != f"{top}{_STATE}"), key=_step_in, reverse=True)
        state = self._state(log, f"{top}{_STATE}", top, run) if f"{top}{_STATE}" in log.versions else None
        for name in names:
            if state is not None and _whole(state.get("global_step")) >= _step_in(name):
                break
            found = self._state(log, name, top, run)
            if found is not None:
                if state is None or _whole(found.get("global_step")) > _whole(state.get("global_step")):
                    state = found
                break
        if state is None:
            if not run.damage:
                raise LogUnreadable("there is no trainer_state.json")
            return Slice(cursors.pack(), 0, runs=[run])
        rows = PointRows("step")
        history = state["log_history"]
        content = zlib.crc32(repr(history).encode("utf-8", "surrogatepass"))
        before = cursors.unpack(log.cursor)
        size = sum(version.size for version in log.versions.values())
        said = [content, sorted(name[len(top) :] for name in names), [each.message for each in run.damage]]
        if before.get("said") == said:  # saved once more
            return Slice(log.cursor, size)
        for row in history:
            if isinstance(row, dict):
                rows.add(dict(row))
            else:
                run.damage.append(Damage(0, "unparsable", "a row of log_history is no object"))
        run.points = rows.points()
        run.lineage = _lineage(state, [name[len(top) :].partition("/")[0] for name in reversed(names)])
        return Slice(cursors.pack(said=said), size, runs=[run])

    def _state(self, log: Log, name: str, top: str, run: RunSlice) -> dict[str, Any] | None:
        """A state; None when it is none, which is named."""
        size = log.versions[name].size
        try:
            if size > _MOST_BYTES:
                raise ValueError("it is too large")
            content = log.source.read(name, 0, size)
            try:
                state = orjson.loads(content)
            except ValueError:
                state = json.loads(content.decode(errors="replace"))  # NaN and infinities stand bare
            if not isinstance(state, dict) or not isinstance(state.get("log_history"), list):
                raise ValueError("it has no log_history")
        except (ValueError, RecursionError, OSError) as error:
            run.damage.append(Damage(0, "unparsable", f"{name[len(top) :]} cannot be read: {error}"))
            return None
        return state


def _lineage(state: dict[str, Any], checkpoints: list[str]) -> dict[str, Any]:
    best = state.get("best_metric")
    about = {
        name: state[name]
        for name in ("max_steps", "num_train_epochs", "train_batch_size", "best_model_checkpoint", "trial_name")
        if isinstance(state.get(name), str | int | float)
    }
    return documents.lineage(
        "huggingface",
        metrics={"best_metric": best} if isinstance(best, int | float) else None,
        about=about,
        outputs=[{"name": each, "type": "checkpoint", "path": each} for each in checkpoints],
    )


def _step_of(name: str) -> int:
    match = _CHECKPOINT.fullmatch(name)
    return int(match[1]) if match else -1


def _step_in(path: str) -> int:
    return _step_of(path.rpartition("/")[0].rpartition("/")[2])


def _whole(value: object) -> int:
    return value if isinstance(value, int) else -1
