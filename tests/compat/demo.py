"""The demo's logs as our own reader finds them, for checks that have the originals read them, too."""

from collections import Counter
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

from mindinsight_like.logs.kinds import Dialect, parse_key
from mindinsight_like.logs.names import classify
from mindinsight_like.logs.scanner import Scanner
from mindinsight_like.logs.whole_files import WHOLE_FILES
from mindinsight_like.scripts.cli import main


def make(folder, dialect):
    """The logs of the demo's run in a dialect, which has every kind of data that the dialect knows."""
    with redirect_stdout(StringIO()):
        assert main(["demo", str(folder), "--runs", "3"]) == 0
    paths = [path for path in sorted((Path(folder) / dialect).rglob("*")) if path.is_file()]
    others = {*WHOLE_FILES, Dialect.RUN_STATE}
    return [path for path in paths if (name := classify(path.name)) and name.dialect not in others]


def read(log):
    """{(kind, tag, sub-key): [(step, wall time, number or encoded value), ..]} of one file, by our reader."""
    content = log.read_bytes()
    scanner = Scanner(classify(log.name).dialect)
    assert scanner.feed(content, at_end=True) == len(content)
    batch = scanner.take()
    assert not batch.damage
    found = {}
    for place, number in enumerate(batch.scalar_numbers):
        part = slice(batch.scalar_starts[place], batch.scalar_starts[place + 1])
        columns = batch.steps[part].tolist(), batch.walls[part].tolist(), batch.values[part].tolist()
        found[tuple(parse_key(batch.keys[number]))] = list(zip(*columns, strict=True))
    for place, number in enumerate(batch.blob_numbers):
        part = slice(batch.blob_starts[place], batch.blob_starts[place + 1])
        bounds = zip(batch.blob_offsets[part].tolist(), batch.blob_lengths[part].tolist(), strict=True)
        values = [content[offset : offset + length] for offset, length in bounds]
        columns = batch.blob_steps[part].tolist(), batch.blob_walls[part].tolist(), values
        found[tuple(parse_key(batch.keys[number]))] = list(zip(*columns, strict=True))
    return found


def told(found):
    """How many values of each kind there are."""
    counts = Counter()
    for (kind, _, _), values in found:
        counts[kind.name.lower()] += len(values)
    return ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
