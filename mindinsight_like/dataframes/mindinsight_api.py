"""Model lineage under MindInsight's names, with its arguments, results and conditions.

    get_summary_lineage("runs/a")                                         one run
    filter_summary_lineage("runs", {"metric/Accuracy": {"gt": 0.9}})      those that match

Conditions are of `eq`, `lt`, `gt`, `le`, `ge`, `in` and `not_in`; `limit`, `offset` (a page, as in MindInsight),
`sorted_name`, `sorted_type` and `lineage_type` control the answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mindinsight_like.conf.locations import NOT_LOCAL, is_url
from mindinsight_like.lineage.records.record import LineageRecord, pipeline_hash

KEYS = (
    "metric",
    "user_defined",
    "hyper_parameters",
    "algorithm",
    "train_dataset",
    "model",
    "valid_dataset",
    "dataset_graph",
)

_TEXTS = (
    "summary_dir",
    "network",
    "optimizer",
    "loss_function",
    "train_dataset_path",
    "test_dataset_path",
    "dataset_mark",
)
_WHOLES = ("train_dataset_count", "test_dataset_count", "epoch", "batch_size", "device_num", "model_size")
_REALS = ("learning_rate", "loss")
_FIELDS = (*_TEXTS, *_WHOLES, *_REALS)
_PREFIXES = ("metric/", "user_defined/")
_TESTS = ("eq", "lt", "gt", "le", "ge", "in", "not_in")
_ORDERED_TESTS = ("lt", "gt", "le", "ge")
_CONTROLS = ("limit", "offset", "sorted_name", "sorted_type", "lineage_type")
_MOST_LIMIT, _MOST_OFFSET = 100, 100_000
_DEFAULT_LIMIT = 10


class LineageError(Exception):
    """What is wrong with a question about lineage."""


class LineageParamTypeError(LineageError, TypeError):
    """A parameter of a type that has no meaning here."""


class LineageParamValueError(LineageError, ValueError):
    """A parameter of the right type with a value that has no meaning here."""


class LineageSearchConditionParamError(LineageError, ValueError):
    """A search condition that cannot be understood."""


def get_summary_lineage(summary_dir: str | Path, keys: Sequence[str] | None = None) -> dict[str, Any]:
    """The lineage that MindSpore logged in one folder, or the parts of these keys; empty when there is none."""
    folder = _folder(summary_dir, "summary_dir")
    part_keys = _keys(keys)
    records = _records(folder)
    if "." not in records:
        return {}
    record = records["."][1]
    result: dict[str, Any] = {"summary_dir": str(folder)}
    for key in part_keys:
        result[key] = record.pipeline or {} if key == "dataset_graph" else record.parts.get(key, {})
    return result


def filter_summary_lineage(
    summary_base_dir: str | Path, search_condition: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The lineage of all runs below a folder that match, sorted, a page of it: customized, object, count."""
    folder = _folder(summary_base_dir, "summary_base_dir")
    condition = _checked(search_condition)
    lineages = [_Lineage(name, updated, record) for name, (updated, record) in _records(folder).items()]
    _assign_marks(lineages)
    matching = [each for each in lineages if each.matches(condition)]
    matching.sort(key=lambda each: each.updated_at, reverse=True)
    if (name := condition.get("sorted_name")) is not None:
        matching.sort(key=lambda each: _order(each.value(name)), reverse=condition.get("sorted_type") == "descending")
    page = matching
    if "limit" in condition or "offset" in condition:
        limit, offset = condition.get("limit", _DEFAULT_LIMIT), condition.get("offset", 0)
        page = matching[offset * limit : (offset + 1) * limit]
    kinds = _lineage_types(condition)
    return {
        "customized": _customized(page),
        "object": [each.to_json(kinds) for each in page],
        "count": len(matching),
    }


class _Lineage:
    """One run as MindInsight shows it."""

    def __init__(self, name: str, updated_at: float, record: LineageRecord) -> None:
        self.name = "./" if name == "." else f"./{name}"
        self.updated_at = updated_at
        self.record = record
        self.mark: str | None = None

    def value(self, field: str) -> Any:
        if field == "summary_dir":
            return self.name
        if field == "dataset_mark":
            return self.mark
        for prefix in _PREFIXES:
            if field.startswith(prefix):
                part: dict[str, Any] = self.record.parts.get(prefix.rstrip("/"), {})
                return part.get(field.removeprefix(prefix))
        return self.record.values.get(field)

    def matches(self, condition: Mapping[str, Any]) -> bool:
        return all(
            _test_matches(self.value(field), test, operand)
            for field, tests in condition.items()
            if field not in _CONTROLS
            for test, operand in tests.items()
        )

    def to_json(self, kinds: Iterable[str]) -> dict[str, Any]:
        result: dict[str, Any] = {"summary_dir": self.name, "added_info": {}}
        if "model" in kinds:
            names = [field for field in _FIELDS if field != "summary_dir"]
            result["model_lineage"] = {field: self.value(field) for field in names} | {
                "metric": self.record.parts.get("metric", {}),
                "user_defined": self.record.parts.get("user_defined", {}),
            }
        if "dataset" in kinds:
            result["dataset_graph"] = self.record.pipeline or {}
        return result


def _records(folder: Path) -> dict[str, tuple[float, LineageRecord]]:
    """The runs below a folder with lineage of MindSpore, by name: when they changed last, and their record."""
    from mindinsight_like.dataframes.runs import open_runs

    return {
        name: (updated_at, record)
        for name, updated_at, text in open_runs(folder).lineage_records()
        if (record := LineageRecord.from_json(json.loads(text))).parts or record.pipeline
    }


def _assign_marks(lineages: Sequence[_Lineage]) -> None:
    """Equal pipelines get equal marks; the first is called 2, as in MindInsight."""
    marks: dict[str, str] = {}
    for each in sorted(lineages, key=lambda each: each.name):
        if each.record.pipeline is not None:
            each.mark = marks.setdefault(pipeline_hash(each.record.pipeline), str(len(marks) + 2))


def _customized(lineages: Sequence[_Lineage]) -> dict[str, dict[str, Any]]:
    """The metrics and what users added in the page at hand, with the type of their values."""
    types: dict[str, set[str]] = {}
    for each in lineages:
        for part in ("metric", "user_defined"):
            for name, value in each.record.parts.get(part, {}).items():
                types.setdefault(f"{part}/{name}", set()).add(_type(value))
    return {
        name: {
            "label": name,
            "required": name.startswith("metric/"),
            "type": kinds.pop() if len(kinds) == 1 else "mixed",
        }
        for name, kinds in types.items()
    }


def _type(value: object) -> str:
    return {int: "int", float: "float", str: "str"}.get(type(value), "mixed")


def _test_matches(value: Any, test: str, operand: Any) -> bool:
    if test == "in":
        return value in operand
    if test == "not_in":
        return value not in operand
    if test == "eq":
        return bool(value == operand)
    if value is None:
        return False
    try:
        compared = {"lt": value < operand, "gt": value > operand, "le": value <= operand, "ge": value >= operand}
    except TypeError:
        return False
    return bool(compared[test])


def _order(value: Any) -> tuple[int, str, Any]:
    """Nothing first, then by type, then by value."""
    if value is None:
        return 0, "", 0
    kind = "number" if isinstance(value, int | float) else type(value).__name__
    return 1, kind, value if isinstance(value, int | float | str) else str(value)


# --- what may be asked ---


def _folder(path: object, name: str) -> Path:
    if not isinstance(path, str | Path):
        raise LineageParamTypeError(f"{name} must be a path, not {type(path).__name__}")
    if is_url(path):
        raise LineageParamValueError(f"{name}: {path} {NOT_LOCAL}")
    folder = Path(path).expanduser()
    if not folder.is_dir():
        raise LineageParamValueError(f"{name}: {path} does not exist")
    return folder.resolve()


def _keys(keys: Sequence[str] | None) -> list[str]:
    if keys is None:
        return list(KEYS)
    if not isinstance(keys, list | tuple):
        raise LineageParamTypeError("keys must be a list")
    for key in keys:
        if key not in KEYS:
            raise LineageParamValueError(f"keys: unknown key {key!r}; expected one of {', '.join(KEYS)}")
    return list(keys)


def _checked(condition: Mapping[str, Any] | None) -> dict[str, Any]:
    if condition is None:
        return {}
    if not isinstance(condition, Mapping):
        raise LineageParamTypeError("search_condition must be a dict")
    for name, value in condition.items():
        if name in _CONTROLS:
            _check_control(name, value)
        else:
            _check_tests(name, value)
    if condition.get("sorted_type") is not None and condition.get("sorted_name") is None:
        raise LineageSearchConditionParamError("sorted_type requires sorted_name")
    return {name: value for name, value in condition.items() if value is not None}


def _check_control(name: str, value: Any) -> None:
    if name in ("limit", "offset"):
        low, high = (1, _MOST_LIMIT) if name == "limit" else (0, _MOST_OFFSET)
        if not _is_whole(value) or not low <= value <= high:
            raise LineageSearchConditionParamError(f"{name} must be an integer from {low} to {high}")
    elif name == "sorted_type":
        if value not in ("ascending", "descending", None):
            raise LineageSearchConditionParamError("sorted_type must be ascending or descending")
    elif name == "sorted_name":
        if not _is_field(value):
            raise LineageSearchConditionParamError(f"sorted_name: unknown field {value!r}")
    elif (
        not isinstance(value, Mapping)
        or not set(value) <= {"in", "eq"}
        or not set(_requested_types(value)) <= {"dataset", "model"}
    ):
        raise LineageSearchConditionParamError(
            'lineage_type must be {"in": [...]} or {"eq": ...} of "dataset" and "model"'
        )


def _check_tests(field: object, tests: Any) -> None:
    if not _is_field(field):
        raise LineageSearchConditionParamError(
            f"unknown field {field!r}; expected one of {', '.join(_FIELDS)}, metric/... and user_defined/..."
        )
    assert isinstance(field, str)
    if not isinstance(tests, Mapping) or not tests:
        raise LineageSearchConditionParamError(f"{field}: expected tests, as in {{'eq': 1}}")
    for test, value in tests.items():
        if test not in _TESTS:
            raise LineageSearchConditionParamError(
                f"{field}: unknown test {test!r}; expected one of {', '.join(_TESTS)}"
            )
        if test in _ORDERED_TESTS and field in _TEXTS:
            raise LineageSearchConditionParamError(f"{field} is a string and supports only eq, in and not_in")
        if test in ("in", "not_in"):
            if not isinstance(value, list | tuple):
                raise LineageSearchConditionParamError(f"{field}: {test} needs a list")
            for each in value:
                _check_value(field, each)
        else:
            _check_value(field, value)


def _check_value(field: str, value: Any) -> None:
    if field in _TEXTS and not isinstance(value, str):
        raise LineageSearchConditionParamError(f"{field} must be compared with a string")
    if field in _WHOLES and (not _is_whole(value) or value < 0):
        raise LineageSearchConditionParamError(f"{field} must be compared with an integer >= 0")
    if (field in _REALS or field.startswith("metric/")) and (
        isinstance(value, bool) or not isinstance(value, int | float)
    ):
        raise LineageSearchConditionParamError(f"{field} must be compared with a number")


def _is_field(field: object) -> bool:
    return isinstance(field, str) and (
        field in _FIELDS or any(field.startswith(prefix) and field != prefix for prefix in _PREFIXES)
    )


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _requested_types(tests: Mapping[str, Any]) -> list[Any]:
    return [kind for value in tests.values() for kind in (value if isinstance(value, list | tuple) else [value])]


def _lineage_types(condition: Mapping[str, Any]) -> list[str]:
    tests = condition.get("lineage_type")
    return ["model", "dataset"] if not tests else _requested_types(tests)
