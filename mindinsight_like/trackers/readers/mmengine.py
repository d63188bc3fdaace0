"""MMEngine: vis_data/scalars.json, JSON lines by `step`, and config.py, Python source of which literals are taken."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any, Final

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.trackers import cursors, documents
from mindinsight_like.trackers.reader import Folder, Log, RecognisedLog, Slice
from mindinsight_like.trackers.readers.json_lines import JsonLinesReader
from mindinsight_like.trackers.source import Source

_SCALARS: Final = "scalars.json"
_CONFIG: Final = "config.py"
_MOST_SOURCE: Final = 256 * 1024
_DEEPEST: Final = 60


class MMEngineReader(JsonLinesReader):
    """Reads the folders of visualizers."""

    dialect = Dialect.MMENGINE

    def __init__(self) -> None:
        super().__init__(("step", "iter", "epoch"))

    def recognise(self, folder: Folder) -> Iterator[RecognisedLog]:
        if _SCALARS not in folder.files or not self.is_log(folder.head(_SCALARS)):
            return
        stamp = folder.name.rpartition("/")[0].rpartition("/")[2]
        # The same points again.
        copies = {name for name in folder.files if name.startswith("events.out.tfevents.") or name == f"{stamp}.json"}
        claimed = copies | {_SCALARS} | ({_CONFIG} & folder.files)
        yield RecognisedLog(folder.path(_SCALARS), folder.name, frozenset(claimed))

    def members(self, source: Source, name: str) -> Sequence[str]:
        return name, f"{name.removesuffix(_SCALARS)}{_CONFIG}"

    def read(self, log: Log) -> Slice:
        before = cursors.unpack(log.cursor)
        part = super().read(log)
        config = log.versions.get(self.members(log.source, log.name)[1])
        said = None if config is None else [config.size, config.modified_ns, config.number]
        (run,) = part.runs
        if not log.cursor or run.starts_over or said != before.get("said"):
            folder, name = log.folder.rpartition("/")[0], log.folder.rpartition("/")[2]
            if name == "vis_data" and folder:
                run.display_name = folder.rpartition("/")[2]
            params = None
            if config is not None:
                content = log.source.read(f"{log.folder}/{_CONFIG}".removeprefix("./"), 0, _MOST_SOURCE + 1)
                params = literals(content)
            run.lineage = documents.lineage("mmengine", params=params)
        return Slice(
            cursors.pack(**(cursors.unpack(part.cursor) | {"said": said})),
            part.position,
            is_partial=part.is_partial,
            runs=part.runs,
        )


def literals(content: bytes) -> dict[str, Any]:
    """What is assigned to names in Python source as far as it is literals and `dict(...)`; nothing is executed."""
    if len(content) > _MOST_SOURCE:
        return {}
    try:
        module = ast.parse(content.decode(errors="replace").replace("\0", ""))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    found = {}
    for statement in module.body:
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target = statement.targets[0]
            if isinstance(target, ast.Name) and not target.id.startswith("_"):
                try:
                    found[target.id] = _literal(statement.value, 0)
                except (ValueError, TypeError):
                    continue
    return found


def _literal(node: ast.expr, depth: int) -> Any:
    if depth > _DEEPEST:
        raise ValueError("nested too deeply")
    match node:
        case ast.Constant(value=None | bool() | int() | float() | str()):
            return node.value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return -number
        case ast.List() | ast.Tuple():
            return [_literal(each, depth + 1) for each in node.elts]
        case ast.Dict():
            return {
                str(_literal(key, depth + 1)): _literal(value, depth + 1)
                for key, value in zip(node.keys, node.values, strict=True)
                if key is not None
            }
        case ast.Call(func=ast.Name(id="dict"), args=[]):
            return {each.arg: _literal(each.value, depth + 1) for each in node.keywords if each.arg is not None}
    raise ValueError("no literal")
