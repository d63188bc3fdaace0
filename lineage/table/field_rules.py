"""The rules of fields in effect: built in, from the file of the settings, and as people have changed them since."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from mindinsight_like.errors import BadParameter, NotFound, OperationError
from mindinsight_like.lineage.fields.editing import content_of, merged, rule_from, rules_of_file
from mindinsight_like.lineage.fields.rules import BUILT_IN, FieldRule
from mindinsight_like.store.annotations import Annotations
from mindinsight_like.store.annotations.shared_items import SharedItems

Origin = Literal["built_in", "file"]

_log = logging.getLogger(__name__)


class FieldRules:
    """One per process; any number of threads may ask."""

    def __init__(self, annotations: Annotations, file: Path | None) -> None:
        self._items = SharedItems(annotations, "field")
        self._lock = threading.Lock()
        self._cached: tuple[int, tuple[FieldRule, ...]] | None = None
        self.problem = ""  # why the file cannot be used
        try:
            self._base = rules_of_file(file)
        except OperationError as error:
            _log.error("%s", error)
            self.problem, self._base = str(error), BUILT_IN

    def current(self) -> Sequence[FieldRule]:
        """The rules; the same object as long as nothing has changed."""
        version = self._items.version()
        with self._lock:
            if self._cached is None or self._cached[0] != version:
                rules = merged(self._base, self._changes())
                if self._cached is not None and self._cached[1] == rules:
                    rules = self._cached[1]
                self._cached = version, rules
            return self._cached[1]

    def origin(self, name: str) -> Origin:
        """Where the rule of a field that nobody has changed comes from."""
        built_in = {rule.name: rule for rule in BUILT_IN}
        base = next((rule for rule in self._base if rule.name == name), None)
        return "built_in" if base is not None and base == built_in.get(name) else "file"

    def change(self, name: str, content: dict[str, Any], *, version: int | None) -> FieldRule:
        """Set the rule of a field; what is not given stays. Raises BadParameter, Conflict."""
        rule = rule_from(name, content, next((rule for rule in self.current() if rule.name == name), None))
        self._items.put(name, content_of(rule), version=version)
        return rule

    def remove(self, name: str) -> None:
        """Remove a field; raises NotFound."""
        if all(rule.name != name for rule in self.current()):
            raise NotFound(f"no field {name!r}")
        self._items.put(name, {"removed": True}, version=None)

    def restore(self, name: str) -> None:
        """Take back what people have changed of a field; raises NotFound."""
        self._items.delete(name)

    def versions(self) -> dict[str, int]:
        """The versions of the fields that people have changed, by name; also of those they have removed."""
        return {item.name: item.version for item in self._items.all()}

    def _changes(self) -> dict[str, FieldRule | None]:
        changes: dict[str, FieldRule | None] = {}
        base = {rule.name: rule for rule in self._base}
        for item in self._items.all():
            try:
                changes[item.name] = (
                    None if item.content.get("removed") else rule_from(item.name, item.content, base.get(item.name))
                )
            except BadParameter:  # of a later version of this program
                _log.warning("cannot read the rule of field %s", item.name, exc_info=True)
        return changes
