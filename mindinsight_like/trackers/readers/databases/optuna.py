"""Optuna's database: each trial of each study is a run."""

from __future__ import annotations

import json
import math
import zlib
from collections import defaultdict
from typing import Any, Final

import numpy as np
import orjson

from mindinsight_like.logs.batch import Damage
from mindinsight_like.trackers import cursors
from mindinsight_like.trackers.files.database_rows import Database, Numbers, as_text, reals, wholes
from mindinsight_like.trackers.reader import Log, Points, RunSlice, Slice
from mindinsight_like.trackers.readers.optuna_journal import (
    INTERMEDIATE,
    external_param,
    optuna_state,
    trial_lineage,
    unix_seconds,
)

TABLES: Final = frozenset({"studies", "trials", "trial_params", "trial_values"})
_VALUE: Final = ("trial_id", "step", "intermediate_value", "intermediate_value_type")
_WORDS: Final = {b"NAN": math.nan, b"INF_POS": math.inf, b"INF_NEG": -math.inf}
_MOST_TRIALS = 5000  # whose settings one slice brings


def read_optuna(database: Database, log: Log, cursor: dict[str, Any]) -> Slice:
    """The next slice of a database of Optuna."""
    return _Store(database, log, cursor).read()


class _Store:
    def __init__(self, database: Database, log: Log, cursor: dict[str, Any]) -> None:
        self._database = database
        self._log = log
        self._place = cursor.get("place")
        self._marks: dict[str, int] = cursor.get("marks", {})  # fingerprints of trials, by key
        self._runs: dict[str, RunSlice] = {}
        studies = {number: as_text(name) for number, name in database.all("studies", "study_id", "study_name")}
        self._trials: dict[int, tuple[str, int, tuple[Any, ...]]] = {}
        counts: dict[Any, int] = {}
        for trial, study, number, *row in database.all(
            "trials", "trial_id", "study_id", "number", "state", "datetime_start", "datetime_complete", order="trial_id"
        ):
            counts[study] = counts.get(study, -1) + 1
            if study in studies and isinstance(trial, int):
                place = number if isinstance(number, int) else counts[study]
                self._trials[trial] = studies[study], place, tuple(row)
        self._keys = {f"{study}/{number}" for study, number, _ in self._trials.values()}
        self._is_sure = not (database.is_damaged("trials") or database.is_damaged("studies"))

    def read(self) -> Slice:
        is_partial, share = False, 1.0
        place = self._place
        if "trial_intermediate_values" in self._database.tables:
            followed = self._database.follow("trial_intermediate_values", _VALUE, self._place, self._log)
            if followed.starts_over:
                for key in self._marks:
                    self._run(key).starts_over = True
                self._marks = dict.fromkeys(self._marks, 0)
            self._add(followed.rows)
            is_partial, share, place = followed.is_partial, followed.share, followed.place
        is_partial = is_partial or self._say()
        keys = dict.fromkeys([*self._marks, *self._runs])
        gone = [key for key in keys if key not in self._keys] if self._is_sure else []
        for key in gone:
            self._marks.pop(key, None)
            self._runs.pop(key, None)
        for key in self._runs:
            self._marks.setdefault(key, 0)
        return Slice(
            cursors.pack(place=place, marks=self._marks),
            int(self._log.versions[self._log.name].size * share),
            is_partial=is_partial,
            runs=list(self._runs.values()),
            gone=gone,
        )

    def _run(self, key: str) -> RunSlice:
        return self._runs.setdefault(key, RunSlice(key))

    def _add(self, rows: list[tuple[Any, ...]]) -> None:
        sound = rows if all(isinstance(row[2], int) for row in rows) else [row for row in rows if type(row[2]) is int]
        if len(sound) < len(rows):
            message = f"table trial_intermediate_values: {len(rows) - len(sound)} rows have no step"
            self._database.damage.append(Damage(0, "unparsable", message))
        if not sound:
            return
        _, trials, steps, values, kinds = zip(*sound, strict=True)
        numbers = Numbers()
        trial_column, step_column, value_column = numbers.of(trials), wholes(steps), reals(values)
        assert step_column is not None
        for word, number in _WORDS.items():
            value_column[np.fromiter((kind == word for kind in kinds), bool, len(kinds))] = number
        order = np.argsort(trial_column, kind="stable")
        starts = np.searchsorted(trial_column[order], np.arange(len(numbers) + 1))
        for place, trial in enumerate(numbers):
            if trial in self._trials:
                mine = order[starts[place] : starts[place + 1]]
                study, number, _ = self._trials[trial]
                zeros, unknown = np.zeros(len(mine), np.int64), np.full(len(mine), math.nan)
                points = Points((INTERMEDIATE,), zeros, step_column[mine], unknown, value_column[mine])
                self._run(f"{study}/{number}").points = points

    def _say(self) -> bool:
        """Give what is new among trials; True when some are left."""
        params = self._by_trial("trial_params", "param_name", "param_value", "distribution_json")
        attributes = self._by_trial("trial_user_attributes", "key", "value_json")
        results = self._by_trial("trial_values", "objective", "value", "value_type")
        last = self._last_values(results)
        new = 0
        for trial, (study, number, row) in self._trials.items():
            key = f"{study}/{number}"
            parts = (params.get(trial, []), attributes.get(trial, []), results.get(trial, []))
            mark = zlib.crc32(repr((row, parts, last.get(trial))).encode())
            if self._marks.get(key) == mark:
                continue
            if new == _MOST_TRIALS:
                return True
            new += 1
            self._marks[key] = mark
            self._tell(self._run(key), (study, number, row), parts, last.get(trial))
        return False

    def _tell(
        self,
        run: RunSlice,
        trial: tuple[str, int, tuple[Any, ...]],
        parts: tuple[list[Any], list[Any], list[Any]],
        last: float | None,
    ) -> None:
        study, number, (state, started, ended) = trial
        params, attributes, results = parts
        own_params: dict[str, Any] = {}
        for name, value, distribution in params:
            try:
                own_params[as_text(name)] = external_param(value, as_text(distribution))
            except (ValueError, KeyError, TypeError, IndexError, OverflowError, RecursionError):
                self._note("trial_params", as_text(name), run.key)
        values = [
            _WORDS.get(kind, value)
            for _, value, kind in sorted(results, key=lambda each: each[0] if isinstance(each[0], int) else 0)
        ]
        if not values and last is not None:
            values = [last]
        own = {}
        for name, content in attributes:
            try:
                own[as_text(name)] = _json(content)
            except (ValueError, RecursionError):
                self._note("trial_user_attributes", as_text(name), run.key)
        run.state = optuna_state(as_text(state), self._time(started), self._time(ended))
        run.lineage = trial_lineage(study, number, params=own_params, values=values, attributes=own)

    def _time(self, value: Any) -> float | None:
        try:
            return unix_seconds(as_text(value))
        except (ValueError, OverflowError):
            return None

    def _note(self, table: str, name: str, key: str) -> None:
        message = f"table {table}: {name[:60]} of {key} cannot be understood"
        self._database.damage.append(Damage(0, "unparsable", message))

    def _by_trial(self, table: str, *names: str) -> dict[int, list[tuple[Any, ...]]]:
        rows_by_trial: defaultdict[int, list[tuple[Any, ...]]] = defaultdict(list)
        for trial, *row in self._database.all(table, "trial_id", *names):
            rows_by_trial[trial].append(tuple(row))
        return rows_by_trial

    def _last_values(self, results: dict[int, list[tuple[Any, ...]]]) -> dict[int, float]:
        """The last intermediate values of pruned trials, which count as what came of them."""
        if not any(row[0] == b"PRUNED" and trial not in results for trial, (_, _, row) in self._trials.items()):
            return {}
        rows = self._database.all(
            "trial_intermediate_values",
            *_VALUE,
            where="trial_id IN (SELECT trial_id FROM trials WHERE state = 'PRUNED')",
            order="trial_id, step",
        )
        last = {trial: _WORDS.get(kind, value) for trial, _, value, kind in rows if trial not in results}
        return {trial: float(value) for trial, value in last.items() if isinstance(value, int | float)}


def _json(content: Any) -> Any:
    try:
        return orjson.loads(content)
    except ValueError:
        return json.loads(as_text(content))  # NaN and infinities stand bare
