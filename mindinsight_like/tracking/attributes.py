"""Dictionaries whose entries are also attributes, as in `run.config.lr`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any


class Attributes(MutableMapping[str, Any]):
    """A dictionary that notes which entries have changed; names with an underscore in front are Python's own."""

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}
        self._changed: set[str] = set()

    def take_changes(self) -> dict[str, Any]:
        """The entries that were set since the last call."""
        changed, self._changed = self._changed, set()
        return {name: self._values[name] for name in self._values if name in changed}

    @property
    def changed(self) -> frozenset[str]:
        """Names that were set since changes were last taken."""
        return frozenset(self._changed)

    def as_dict(self) -> dict[str, Any]:
        """A copy."""
        return dict(self._values)

    def note(self, name: str, value: Any) -> None:
        """Set an entry that nobody has to be told of."""
        self._values[name] = value

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self._values[str(name)] = value
        self._changed.add(str(name))

    def __delitem__(self, name: str) -> None:
        del self._values[name]
        self._changed.discard(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self._values[name]
        except KeyError:
            raise AttributeError(f"no entry {name!r}; there are {', '.join(self._values) or 'none'}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            super().__setattr__(name, value)
        else:
            self[name] = value

    def __repr__(self) -> str:
        return repr(self._values)


class Config(Attributes):
    """Parameters of a run; takes what scripts have: mappings, `argparse.Namespace`, dataclasses."""

    def update(self, *others: Any, allow_val_change: bool = True, **values: Any) -> None:
        """Set several entries; `allow_val_change` is wandb's and always true here."""
        for other in others:
            for name, value in _entries(other).items():
                self[name] = value
        for name, value in values.items():
            self[name] = value

    def setdefaults(self, values: Mapping[str, Any]) -> None:
        """Set those entries that are missing."""
        for name, value in values.items():
            if name not in self:
                self[name] = value


class Summary(Attributes):
    """Results of a run: the last value of each scalar, or what the script or `define_metric` says."""

    def update(self, *others: Any, **values: Any) -> None:
        """Set several entries."""
        for name, value in {**(_entries(others[0]) if others else {}), **values}.items():
            self[name] = value


def _entries(values: Any) -> Mapping[str, Any]:
    if values is None:
        return {}
    if isinstance(values, Mapping):
        return values
    if hasattr(values, "__dict__"):
        return {name: value for name, value in vars(values).items() if not name.startswith("_")}
    raise TypeError(f"config: expected a mapping or a namespace, not {type(values).__name__}")
