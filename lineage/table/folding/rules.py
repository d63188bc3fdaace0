"""Rules by which runs are sub-runs of one training: names of directories, as people may change them.

Narrow by default: siblings with other names stay rows of their own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final

from mindinsight_like.errors import BadParameter

_MOST_NAMES = 50
_MOST_CHARACTERS = 100


@dataclass(frozen=True)
class FoldingRules:
    """Names in lower case; a rule without names is off."""

    is_enabled: bool = True
    # With one of `evaluation` beside it, or with the directory above it as the training, both are one row.
    training: tuple[str, ...] = ("train", "training", "learn")
    evaluation: tuple[str, ...] = ("eval", "evaluation", "val", "valid", "validation", "test")
    ranks: tuple[str, ...] = ("rank",)  # in front of a number: rank_0, rank-0, rank0
    versions: tuple[str, ...] = ("version",)  # the same, where one version goes on where the last one ended
    sessions: bool = True  # the only session of hyperparameters below a run is in its row, as `add_hparams` writes it

    @property
    def rank_name(self) -> re.Pattern[str] | None:
        """A directory of one rank: prefix and number."""
        return _numbered(self.ranks)

    @property
    def version_name(self) -> re.Pattern[str] | None:
        return _numbered(self.versions)


SWITCHES: Final = ("is_enabled", "sessions")
LISTS: Final = tuple(each.name for each in fields(FoldingRules) if each.name not in SWITCHES)
DEFAULT: Final = FoldingRules()


def rules_from(content: Mapping[str, Any], base: FoldingRules = DEFAULT) -> FoldingRules:
    """The rules of some JSON: what is missing stays as in `base`; raises BadParameter."""
    switches: dict[str, Any] = {key: content.get(key, getattr(base, key)) for key in SWITCHES}
    for key, value in switches.items():
        if not isinstance(value, bool):
            raise BadParameter(f"{key} must be true or false.", parameter=key)
    lists: dict[str, Any] = {key: _names(key, content[key]) if key in content else getattr(base, key) for key in LISTS}
    if repeated := set(lists["training"]) & set(lists["evaluation"]):
        raise BadParameter(f"{min(repeated)!r} cannot be both training and evaluation.", parameter="evaluation")
    return FoldingRules(**switches, **lists)


def content_of(rules: FoldingRules) -> dict[str, Any]:
    """The rules as JSON."""
    switches: dict[str, Any] = {key: getattr(rules, key) for key in SWITCHES}
    return switches | {key: list(getattr(rules, key)) for key in LISTS}


def _names(key: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or len(value) > _MOST_NAMES:
        raise BadParameter(f"{key} must be a list of at most {_MOST_NAMES} names of directories.", parameter=key)
    names = []
    for each in value:
        if not isinstance(each, str) or not each.strip() or len(each) > _MOST_CHARACTERS or "/" in each:
            raise BadParameter(f"{key}: {str(each)[:100]!r} is not the name of a directory.", parameter=key)
        names.append(each.strip().lower())
    return tuple(dict.fromkeys(names))


def _numbered(prefixes: tuple[str, ...]) -> re.Pattern[str] | None:
    if not prefixes:
        return None
    return re.compile(rf"({'|'.join(map(re.escape, prefixes))})[_-]?(\d{{1,9}})", re.IGNORECASE)
