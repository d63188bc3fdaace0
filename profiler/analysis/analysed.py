"""An analysed recording, kept in a folder and opened again without reading it: every answer about it starts here.

Answers are plain dictionaries for JSON. Times are milliseconds; where a name ends with `_ns` they are integer
nanoseconds after the origin of the recording (`tracks()["origin_ns"]` in unix time). Where an answer takes `tracks`,
they are the ids that `tracks()` gives; a `row` is the number of a slice, the same in all answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from mindinsight_like.profiler.traces.files import Progress
from mindinsight_like.profiler.traces.trace import Trace

from . import advice, details, flame, memory, operators, pipeline, steps, storage, summary, timeline
from .blocks import Blocks, blocks_of
from .building import build
from .columns import Columns
from .flame import Tree


class Analysed:
    """What is known of one recording."""

    def __init__(self, columns: Columns) -> None:
        self.columns = columns  # for further analyses
        self._flames: dict[tuple[int | None, int | None], Tree] = {}

    @property
    def trace(self) -> Trace:
        """What the recording holds beside slices: counters, memory, pipelines, links, facts, losses."""
        return self.columns.trace

    def save(self, folder: Path) -> None:
        """Writes everything into the folder, which must be there; `open` reads it."""
        storage.save(self.columns, folder)

    @classmethod
    def open(cls, folder: Path) -> Analysed:
        """What `save` wrote; columns stay on disk until looked at. Raises OSError, ValueError for a damaged folder."""
        return cls(storage.load(folder))

    def summary(self) -> dict[str, Any]:
        """`{tool, device, host, rank, ranks, facts, counts, losses, totals, has, top_types, breakdown,
        step, flops, advice: the first three}`."""
        return summary.answer(self.columns)

    def operators(
        self,
        by: str = "type",
        *,
        side: str = "",
        type: str | None = None,
        name: str | None = None,
        search: str = "",
        sort: str = "-self",
        offset: int = 0,
        limit: int | None = 100,
    ) -> dict[str, Any]:
        """`{total, sides: [{side, total, self, count}], columns: [{name, unit, kind}], rows: [...]}`.

        By "type", "name", "shape" (name and shapes of inputs) or "instance" (single executions, with their `row`).
        Without a side the rows of all sides. `search` looks for all its words in names, types and shapes. `share` is
        of the sum of self times of the row's side, from 0 to 1. An operator of torch that only calls itself again is
        counted once, as in torch's own tables, where its row has the self time of both. Raises ValueError for what it
        does not know.
        """
        asked = operators.Asked(by, side, type, name, search, sort, offset, limit)
        return operators.table(self.columns, asked)

    def steps(self, step: int | None = None, *, offset: int = 0, limit: int | None = None) -> dict[str, Any]:
        """`{total, parts, steps: [...], average: {...}, collectives?: [...]}`; collectives of one step or on average.

        The parts of a step add up to its duration; `overlapped` is communication hidden behind computing and lies
        within "compute". A step of which nothing but its begin and end was recorded has no parts. The average is over
        the steps that are not partial, that of parts over those of them that have parts (`measured_steps`).
        """
        return steps.answer(self.columns, step, offset=offset, limit=limit)

    def advice(self) -> dict[str, Any]:
        """`{advice: [{rule, severity, numbers, place?}]}`: what to fix, the most important first; see `advice`."""
        return {"advice": advice.advice(self.columns)}

    def pipeline(self) -> dict[str, Any]:
        """How data came: `{operators, sample_milliseconds, lights, queues, loading, steps}`."""
        return pipeline.answer(self.columns)

    def memory(self, span: tuple[int, int] | None = None, *, width: int = 1000) -> dict[str, Any]:
        """`{devices: [{device, time_ns, allocated, reserved, peak, ...}], blocks, leak, facts}`.

        Curves of all the time or a range of it; of long ones the first, lowest, highest and last point of each of so
        many stretches.
        """
        return memory.answer(self.columns, self._blocks, span, width=width)

    def memory_owners(
        self,
        device: str,
        span: tuple[int, int] | None = None,
        *,
        by: str = "owner",
        sort: str = "-bytes",
        offset: int = 0,
        limit: int = 100,
    ) -> dict[str, Any]:
        """What was alive at the peak, or was allocated in a range of time: `{total, columns, rows}`.

        By "owner", or "block" for single allocations. Raises ValueError for a device without any.
        """
        table = memory.owners if by == "owner" else memory.single
        return table(self.columns, self._blocks, device, span, sort=sort, offset=offset, limit=limit)

    @cached_property
    def _blocks(self) -> Blocks:
        return blocks_of(self.columns)

    def tracks(self) -> dict[str, Any]:
        """`{from_ns, to_ns, origin_ns, tracks: [{id, name, process, place, device, lanes, slices}], counters}`."""
        return timeline.tracks(self.columns)

    def texts(self) -> list[str]:
        """All names; windows refer to them by position."""
        return self.columns.trace.texts

    def window(self, from_ns: int, to_ns: int, width: int, tracks: Sequence[int] | None = None) -> bytes:
        """What a screen of so many pixels shows of a range of time, in binary; see `timeline.window`."""
        return timeline.window(self.columns, from_ns, to_ns, width, tracks)

    def search(self, query: str, *, offset: int = 0, limit: int = 100, density: int = 500) -> dict[str, Any]:
        """`{total, names, rows: [{row, name, track, lane, start_ns, duration_ns}], density: [...]}` in order of time.

        `density` counts the beginnings of all that were found in equal parts of the whole recording.
        """
        return timeline.search(self.columns, query, offset=offset, limit=limit, density=density)

    def selection(self, from_ns: int, to_ns: int, tracks: Sequence[int] | None = None) -> dict[str, Any]:
        """The operator table by name of what lies in a range of time: `{total, from_ns, to_ns, columns, rows}`.

        Times are clipped: of a slice that reaches out of the range only what lies inside is summed; `count` counts
        every slice that touches the range, a slice without duration when it lies inside.
        """
        return timeline.selection(self.columns, from_ns, to_ns, tracks)

    def flows(
        self,
        from_ns: int,
        to_ns: int,
        *,
        tracks: Sequence[int] | None = None,
        limit: int = 1000,
        row: int | None = None,
    ) -> dict[str, Any]:
        """`{total, flows: [{name, begin_ns, begin_track, begin_lane, end_ns, end_track, end_lane, ...}]}`.

        With a row only arrows that begin or end with that slice; raises IndexError where there is none.
        """
        return details.flows(self.columns, from_ns, to_ns, tracks=tracks, limit=limit, row=row)

    def slice(self, row: int) -> dict[str, Any]:
        """All that is known of one slice but its arguments, which `place` finds in `trace.file`; raises IndexError."""
        return details.slice_details(self.columns, row)

    def flame(
        self, *, track: int | None = None, step: int | None = None, by: str = "time", most: int = 5000
    ) -> dict[str, Any]:
        """Call trees merged by name: `{total, nodes: [{id, parent, name, activity, count, total, self}], cut}`.

        Of all tracks (or one) and of the whole recording (or the step at that position: slices that begin in it).
        By "time", or by "device": device work launched there. At most so many nodes; `cut` is how many are left out.
        """
        return flame.answer(self._flame(track, step), by=by, most=most)

    def flame_difference(self, other: Analysed, *, by: str = "time", most: int = 5000) -> dict[str, Any]:
        """Both call trees in one: nodes as in `flame` with `other_total`, `other_self`, `other_count`."""
        return flame.difference(self._flame(None, None), other._flame(None, None), by=by, most=most)

    def _flame(self, track: int | None, step: int | None) -> Tree:
        key = (track, step)
        if key not in self._flames:
            if len(self._flames) > 8:
                self._flames.clear()
            self._flames[key] = flame.merge(self.columns, track, step)
        return self._flames[key]


def analyse(trace: Trace, progress: Progress = lambda share: None) -> Analysed:
    """Nests, groups and measures the slices of a recording.

    The slices move from the trace into the result: `trace.slices` is None afterwards, so that memory holds them once.
    """
    return Analysed(build(trace, progress))
