"""How a scalar becomes one result of its run: the last, smallest, largest or mean value."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

LAST, LEAST, MOST, MEAN, NONE = "last", "min", "max", "mean", "none"
_RULES = (LAST, LEAST, MOST, MEAN, NONE)


@dataclass
class _Seen:
    """What has been seen of a scalar; NaN counts only as the last value."""

    last: float = math.nan
    count: int = 0
    total: float = 0.0
    least: float = math.inf
    most: float = -math.inf

    def add(self, value: float) -> None:
        self.last = value
        if value == value:
            self.count += 1
            self.total += value
            self.least = min(self.least, value)
            self.most = max(self.most, value)

    def result(self, rule: str) -> float:
        if rule == LAST or not self.count:
            return self.last
        return {LEAST: self.least, MOST: self.most, MEAN: self.total / self.count}[rule]


@dataclass
class MetricRules:
    """Rules by name or shell pattern; the first one that matches a scalar holds."""

    _by_pattern: dict[str, str] = field(default_factory=dict)
    _rule_of: dict[str, str] = field(default_factory=dict)
    _seen: dict[str, _Seen] = field(default_factory=dict)  # from the first value on: rules may come later

    def define(self, pattern: str, rule: str) -> None:
        """Add a rule; raises ValueError."""
        if rule not in _RULES:
            raise ValueError(f"summary: expected one of {', '.join(_RULES)}, not {rule!r}")
        self._by_pattern[pattern] = rule
        self._rule_of.clear()

    def result(self, name: str, value: float) -> tuple[float | None, bool]:
        """The result of a scalar with one value more, and whether a rule made it; None: it has no result."""
        seen = self._seen.get(name) or self._seen.setdefault(name, _Seen())
        seen.add(value)
        rule = self._rule_of.get(name)
        if rule is None:
            matching = (rule for pattern, rule in self._by_pattern.items() if fnmatchcase(name, pattern))
            rule = self._rule_of[name] = next(matching, "")
        return None if rule == NONE else seen.result(rule or LAST), rule != ""
