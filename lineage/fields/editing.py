"""Rules of fields as users write them: in a file, and over REST. Built-in rules are extended, replaced or removed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import orjson

from mindinsight_like.errors import BadParameter, OperationError

from .metrics import direction_of
from .names import words_of
from .rules import BUILT_IN, Direction, FieldGroup, FieldRule

GROUPS: tuple[FieldGroup, ...] = get_args(FieldGroup)
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)
_LISTS = ("aliases", "columns", "fallbacks")
_KEYS = (*_LISTS, "group", "direction", "has_scalars")
_MOST_NAMES = 200
_MOST_CHARACTERS = 200


def rule_from(name: str, content: Mapping[str, Any], base: FieldRule | None = None) -> FieldRule:
    """The rule of a field: what is not given stays as in `base`; raises BadParameter."""
    if not name or len(name) > _MOST_CHARACTERS or "/" in name or not words_of(name):
        raise BadParameter("A field needs a name of letters or digits without a slash.", parameter="name")
    for unknown in (key for key in content if key not in _KEYS):
        raise BadParameter(f"field {name!r}: unknown key {unknown!r}; expected {', '.join(_KEYS)}", parameter=unknown)
    group = content.get("group", base.group if base else "hparam")
    if group not in GROUPS:
        raise BadParameter(f"field {name!r}: group must be one of {', '.join(GROUPS)}", parameter="group")
    guessed = direction_of(name) if group == "metric" else ""
    direction = content.get("direction", base.direction if base else guessed)
    if direction not in DIRECTIONS:
        raise BadParameter(f"field {name!r}: direction must be max, min or empty", parameter="direction")
    has_scalars = content.get("has_scalars", base.has_scalars if base else group == "metric")
    if not isinstance(has_scalars, bool):
        raise BadParameter(f"field {name!r}: has_scalars must be true or false", parameter="has_scalars")
    lists = {key: _names(name, key, content[key]) if key in content else getattr(base, key, ()) for key in _LISTS}
    return FieldRule(
        name,
        group,
        lists["aliases"],
        lists["columns"],
        lists["fallbacks"],
        direction,
        has_scalars,
        is_held_out=base.is_held_out if base else False,
        is_custom=True,
    )


def _names(field: str, key: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or len(value) > _MOST_NAMES:
        raise BadParameter(f"field {field!r}: {key} must be a list of at most {_MOST_NAMES} names", parameter=key)
    for each in value:
        if not isinstance(each, str) or not each.strip() or len(each) > 10 * _MOST_CHARACTERS:
            raise BadParameter(f"field {field!r}: {key} must contain names", parameter=key)
    return tuple(dict.fromkeys(each.strip() for each in value))


def rules_of_file(path: Path | None) -> tuple[FieldRule, ...]:
    """The built-in rules with those of a JSON file; raises OperationError.

    `{"learning_rate": {"aliases": ["step width"]}, "team": {"group": "environment"}, "seed": null}`: names are added
    before the built-in ones, a new name makes a field, null removes one.
    """
    if path is None:
        return BUILT_IN
    try:
        content = orjson.loads(path.read_bytes())
        if not isinstance(content, dict):
            raise BadParameter("expected an object of fields")
        changes: dict[str, FieldRule | None] = {}
        built_in = {rule.name: rule for rule in BUILT_IN}
        for name, entry in content.items():
            if entry is not None and not isinstance(entry, dict):
                raise BadParameter(f"field {name!r} must be an object or null")
            changes[name] = None if entry is None else _added(name, entry, built_in.get(name))
        return merged(BUILT_IN, changes)
    except (OSError, orjson.JSONDecodeError, BadParameter) as error:
        raise OperationError(f"cannot read the field rules in {path}: {error}") from error


def _added(name: str, entry: Mapping[str, Any], base: FieldRule | None) -> FieldRule:
    """The rule of a file: its names before those of the built-in one."""
    rule = rule_from(name, entry, base)
    if base is None:
        return rule
    return replace(
        rule,
        aliases=tuple(dict.fromkeys((*rule.aliases, *base.aliases))),
        columns=tuple(dict.fromkeys((*rule.columns, *base.columns))),
        fallbacks=tuple(dict.fromkeys((*rule.fallbacks, *base.fallbacks))),
    )


def content_of(rule: FieldRule) -> dict[str, Any]:
    """A rule as it is stored."""
    return {
        "group": rule.group,
        "aliases": list(rule.aliases),
        "columns": list(rule.columns),
        "fallbacks": list(rule.fallbacks),
        "direction": rule.direction,
        "has_scalars": rule.has_scalars,
    }


def merged(rules: Iterable[FieldRule], changes: Mapping[str, FieldRule | None]) -> tuple[FieldRule, ...]:
    """The rules with changed ones: one of the same name is replaced, or left out for None."""
    by_name: dict[str, FieldRule | None] = {rule.name: rule for rule in rules}
    by_name |= changes
    return tuple(rule for rule in by_name.values() if rule is not None)
