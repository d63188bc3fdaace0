"""YAML files of trackers as plain data: no objects are made, and what hostile files can cost is bounded."""

from __future__ import annotations

from typing import Any, Final

import yaml

MOST_BYTES: Final = 1 << 18
_MOST_VALUES: Final = 100_000  # aliases may make many values of few bytes
_DEEPEST: Final = 100


class YamlUnreadable(Exception):
    """A file is no YAML document, or not one that is read; the message is for people."""


class _PlainLoader(yaml.SafeLoader):  # type: ignore[misc]
    """Takes values with tags of other programs for what they are made of."""

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Leave merge keys as they are: some bytes of them stand for any number of values."""

    def plain(self, suffix: str, node: yaml.Node) -> Any:
        if isinstance(node, yaml.MappingNode):
            return self.construct_mapping(node, deep=True)
        if isinstance(node, yaml.SequenceNode):
            return self.construct_sequence(node, deep=True)
        return node.value


_PlainLoader.add_multi_constructor("", _PlainLoader.plain)


def parse(content: bytes) -> Any:
    """The first document: dicts with text keys, lists, texts, numbers, truth values and None; raises YamlUnreadable."""
    if len(content) > MOST_BYTES:
        raise YamlUnreadable(f"a YAML file of more than {MOST_BYTES:,} bytes")
    loader = None
    try:
        loader = _PlainLoader(content)
        return _Copy().plain(loader.get_data() if loader.check_data() else None, 0)
    except (yaml.YAMLError, ValueError, TypeError, OverflowError, RecursionError) as error:
        raise YamlUnreadable(f"not a YAML document: {str(error)[:200]}") from error
    finally:
        if loader is not None:
            loader.dispose()


class _Copy:
    def __init__(self) -> None:
        self._values = 0

    def plain(self, value: Any, depth: int) -> Any:
        self._values += 1
        if self._values > _MOST_VALUES or depth > _DEEPEST:
            raise YamlUnreadable("a YAML document of too many values")
        if isinstance(value, dict):
            return {str(key): self.plain(each, depth + 1) for key, each in value.items()}
        if isinstance(value, list | tuple | set):
            return [self.plain(each, depth + 1) for each in value]
        return value if value is None or isinstance(value, str | int | float) else str(value)
