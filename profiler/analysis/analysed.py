"""`Analysed`: a stored analysis of one profile and the queries it answers, without re-reading the recording.

Results are named types, declared beside the code that builds them. A whole result is a frozen dataclass; rows of long
lists, objects with fields that may be absent and what is stored with a recording are TypedDicts, which cost no more
than a dict. Strings in `Annotated` describe fields in the REST API. Times are milliseconds; where a name ends with
`_ns` they are integer nanoseconds after the origin of the recording (`tracks().origin_ns` in unix time). Where a query
takes `tracks`, they are the ids that `tracks()` gives; a `row` is the number of a slice, the same in all results.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from mindinsight_like.profiler.analysis.columns.building import build
from mindinsight_like.profiler.analysis.columns.columns import Columns
from mindinsight_like.profiler.analysis.memory.blocks import Blocks, blocks_of
from mindinsight_like.profiler.analysis.timeline.flame import FlameGraph, Tree
from mindinsight_like.profiler.traces.files import Progress
from mindinsight_like.profiler.traces.trace import Trace
from mindinsight_like.store.segments.sealing import Seal

from . import pipeline
from .advice import AdviceItem, advice
from .columns import storage
from .memory import memory
from .memory.memory import MemoryTable, MemoryUsage
from .operators import operators
from .operators.operator_table import OperatorTable
from .pipeline import PipelineView
from .steps.step_list import StepList, step_list
from .summary import Summary, summary
from .timeline import details, flame, timeline
from .timeline.details import FlowList, SliceDetails
from .timeline.timeline import SliceSearch, TimelineSelection, TrackList


class Analysed:
    """What is known of one recording."""

    def __init__(self, columns: Columns) -> None:
        self.columns = columns  # for further analyses
        self._proof: Seal | None = None
        self._files: tuple[Path, object] | None = None
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
        """What `save` wrote; columns stay on disk until looked at. Raises OSError, ValueError for a damaged folder.

        Each column is verified when it is first looked at: any answer may raise BrokenSeal.
        """
        state = storage.state_of(folder)
        columns, proof = storage.load(folder)
        opened = cls(columns)
        opened._proof, opened._files = proof, (folder, state)
        return opened

    def verify(self) -> None:
        """Make sure that all columns are what `save` wrote, for answers in many pieces; raises BrokenSeal."""
        if self._proof is not None:
            self._proof.verify()

    @property
    def is_current(self) -> bool:
        """Whether nobody has written to the files since they were opened; what was verified counts for nothing then."""
        try:
            return self._files is None or storage.state_of(self._files[0]) == self._files[1]
        except FileNotFoundError:
            return False

    def summary(self) -> Summary:
        """The most important figures, what the profiler noted, and what could not be read."""
        return summary(self.columns)

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
    ) -> OperatorTable:
        """Operators by "type", "name", "shape" (name and shapes of inputs) or "instance" (single executions).

        Without a side the rows of all sides. `search` looks for all its words in names, types and shapes. `share` is
        of the sum of self times of the row's side, from 0 to 1. An operator of torch that only calls itself again is
        counted once, as in torch's own tables, where its row has the self time of both. Raises ValueError for what it
        does not know.
        """
        query = operators.OperatorQuery(by, side, type, name, search, sort, offset, limit)
        return operators.table(self.columns, query)

    def steps(self, step: int | None = None, *, offset: int = 0, limit: int | None = None) -> StepList:
        """The steps and their average, with the collective operations of one of them or on average.

        The parts of a step add up to its duration; `overlapped` is communication hidden behind computing and lies
        within "compute". A step of which nothing but its begin and end was recorded has no parts. The average is over
        the steps that are not partial, that of parts over those of them that have parts (`measured_steps`).
        """
        return step_list(self.columns, step, offset=offset, limit=limit)

    def advice(self) -> list[AdviceItem]:
        """What to fix, the most important first."""
        return advice(self.columns)

    def pipeline(self) -> PipelineView:
        """How data reached the training: operators, queues, waits."""
        return pipeline.view(self.columns)

    def memory(self, span: tuple[int, int] | None = None, *, width: int = 1000) -> MemoryUsage:
        """Curves of all the time or a range of it, peaks and leaks.

        Of long curves the first, lowest, highest and last point of each of so many stretches.
        """
        return memory.usage(self.columns, self._blocks, span, width=width)

    def memory_owners(
        self,
        device: str,
        span: tuple[int, int] | None = None,
        *,
        by: str = "owner",
        sort: str = "-bytes",
        offset: int = 0,
        limit: int = 100,
    ) -> MemoryTable:
        """What was alive at the peak, or was allocated in a range of time.

        By "owner", or "block" for single allocations. Raises ValueError for a device without any.
        """
        table = memory.owners if by == "owner" else memory.single
        return table(self.columns, self._blocks, device, span, sort=sort, offset=offset, limit=limit)

    @cached_property
    def _blocks(self) -> Blocks:
        return blocks_of(self.columns)

    def tracks(self) -> TrackList:
        """Threads and streams that have slices, counters, and the time that slices cover."""
        return timeline.tracks(self.columns)

    def texts(self) -> list[str]:
        """All names; windows refer to them by position."""
        return self.columns.trace.texts

    def window(self, from_ns: int, to_ns: int, width: int, tracks: Sequence[int] | None = None) -> bytes:
        """What a screen of so many pixels shows of a range of time, in binary; see `timeline.window`."""
        return timeline.window(self.columns, from_ns, to_ns, width, tracks)

    def search(self, query: str, *, offset: int = 0, limit: int = 100, density: int = 500) -> SliceSearch:
        """Slices whose names have all words of the query, in order of time.

        `density` counts the beginnings of all that were found in equal parts of the whole recording.
        """
        return timeline.search(self.columns, query, offset=offset, limit=limit, density=density)

    def selection(self, from_ns: int, to_ns: int, tracks: Sequence[int] | None = None) -> TimelineSelection:
        """The operator table by name of what lies in a range of time.

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
    ) -> FlowList:
        """Arrows between slices that begin or end in a range of time, at most so many.

        With a row only arrows that begin or end with that slice; raises IndexError where there is none.
        """
        return details.flows(self.columns, from_ns, to_ns, tracks=tracks, limit=limit, row=row)

    def slice(self, row: int) -> SliceDetails:
        """All that is known of one slice but its arguments, which `place` finds in `trace.file`; raises IndexError."""
        return details.slice_details(self.columns, row)

    def flame(
        self, *, track: int | None = None, step: int | None = None, by: str = "time", most: int = 5000
    ) -> FlameGraph:
        """Call trees merged by name.

        Of all tracks (or one) and of the whole recording (or the step at that position: slices that begin in it).
        By "time", or by "device": device work launched there. At most so many nodes; `cut` is how many are left out.
        """
        return flame.graph(self._flame(track, step), by=by, most=most)

    def flame_difference(self, other: Analysed, *, by: str = "time", most: int = 5000) -> FlameGraph:
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
