"""The rules of sub-runs as people have changed them, kept with the user data of the board."""

from __future__ import annotations

import logging
import threading
from typing import Any

from mindinsight_like.errors import BadParameter
from mindinsight_like.store.annotations import Annotations
from mindinsight_like.store.annotations.shared_items import SharedItem, SharedItems

from .rules import DEFAULT, FoldingRules, content_of, rules_from

_NAME = "sub-runs"

_log = logging.getLogger(__name__)


class FoldingSettings:
    """One for all who use the board; any number of threads may ask."""

    def __init__(self, annotations: Annotations) -> None:
        self._items = SharedItems(annotations, "folding")
        self._lock = threading.Lock()
        self._cached: tuple[int, FoldingRules] | None = None

    def current(self) -> FoldingRules:
        """The rules in effect; the same object as long as nothing has changed."""
        version = self._items.version()
        with self._lock:
            if self._cached is None or self._cached[0] != version:
                rules = self._read()
                if self._cached is not None and self._cached[1] == rules:
                    rules = self._cached[1]
                self._cached = version, rules
            return self._cached[1]

    def version(self) -> int:
        """The version of the change that is in effect; 0: the built-in rules."""
        item = self._item()
        return 0 if item is None else item.version

    def change(self, content: dict[str, Any], *, version: int | None) -> None:
        """Change some of the rules, for everyone; raises BadParameter, Conflict."""
        self._items.put(_NAME, content_of(rules_from(content, self.current())), version=version)

    def reset(self) -> None:
        """Back to the built-in rules; raises NotFound where nobody has changed them."""
        self._items.delete(_NAME)

    def _item(self) -> SharedItem | None:
        return next((item for item in self._items.all() if item.name == _NAME), None)

    def _read(self) -> FoldingRules:
        item = self._item()
        try:
            return DEFAULT if item is None else rules_from(item.content)
        except BadParameter:  # of a later version of this program
            _log.warning("the rules of sub-runs cannot be read", exc_info=True)
            return DEFAULT
