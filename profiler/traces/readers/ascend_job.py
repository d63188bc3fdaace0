"""Raw recordings of an Ascend device: the JOB folders of MindSpore r0.3 to 1.x."""

from __future__ import annotations

import re
from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.profiler.traces.files import Files, Progress, Source, Unreadable, base_name
from mindinsight_like.profiler.traces.trace import (
    NOT_GIVEN,
    Activity,
    Collectives,
    Longs,
    Loss,
    OperatorSums,
    Place,
    Trace,
)

from . import minddata, raw_records, raw_texts
from .assembly import Assembly, report_damage, shift, show_collectives, steps_of
from .raw_records import TICK_NANOSECONDS

_SLICE = re.compile(r"\.slice_(\d+)$")
_KINDS = {
    "hwts": "hwts.log",
    "task": "task_desc_info",
    "graph": "graph_desc_info",
    "point": ".point.",
    "steps": "training_trace",
    "helpers": ".AICPU.",
    "waits": ".AICPUMI.",
    "queue": ".TDT.",
    "start": "host_start.log",
}


def read(files: Files, source: Source, progress: Progress) -> Trace:
    """The recording of one device; raises Unreadable when nothing of it can be used."""
    trace = Trace("ascend", device=f"Ascend device {source.rank}", rank=source.rank)
    job = _Job(trace, files, source)
    for part, share in ((job.read_framework, 0.1), (job.read_tasks, 0.6), (job.read_steps, 0.8), (job.read_rest, 1.0)):
        part()
        progress(share)
    minddata.fill(trace, files, source.files)
    if not (job.assembly.has_slices or job.operators or trace.pipelines or trace.steps):
        reason = trace.losses[0].message if trace.losses else "its files are empty"
        raise Unreadable(f"{source.main} has no usable data: {reason}")
    job.finish()
    return trace


class _Job:
    """One device of a JOB folder, read part by part."""

    def __init__(self, trace: Trace, files: Files, source: Source) -> None:
        self.trace = trace
        self.files = files
        self.device = source.rank
        self.assembly = Assembly()
        self.operators: dict[str, raw_texts.Operator] = {}
        self.tasks: dict[int, str] = {}  # full names of operators by key of the task
        self.blocks: dict[str, int] = {}
        self.points: dict[int, str] = {}
        self.parts: dict[str, list[str]] = defaultdict(list)
        for name in sorted(source.files, key=_slice_number):
            base = base_name(name)
            kind = next((kind for kind, word in _KINDS.items() if word in base), None)
            if kind is not None:
                self.parts[kind].append(name)

    def read_framework(self) -> None:
        """What the framework tells of operators, their tasks, and the marks of steps."""
        for name in self.parts["graph"][:1]:
            with report_damage(self.trace, name):
                lines = raw_texts.lines_of(self.files, self.parts["graph"])
                self.operators, strange = raw_texts.operators(lines, is_mindspore=".vm." in name)
                self._lose("lines of the graph that name no operator", strange, name)
        for name in self.parts["task"][:1]:
            with report_damage(self.trace, name):
                strange = 0
                for line in raw_texts.lines_of(self.files, self.parts["task"]):
                    cells = line.rsplit(maxsplit=3)
                    if len(cells) != 4 or not all(cell.isdecimal() and len(cell) < 10 for cell in cells[1:]):
                        strange += bool(line.strip())
                        continue
                    block, task, stream = (int(cell) for cell in cells[1:])
                    key = raw_records.task_key(np.array([task]), np.array([stream]))
                    self.tasks.setdefault(int(key[0]), cells[0])
                    self.blocks.setdefault(cells[0], block)
                self._lose("lines of the task list that are no tasks", strange, name)
        for name in self.parts["point"][:1]:
            with report_damage(self.trace, name):
                for line in raw_texts.lines_of(self.files, self.parts["point"]):
                    tag, _, operator = line.strip().partition(" ")
                    if tag.isdecimal() and len(tag) < 10:
                        self.points[int(tag)] = operator

    def read_tasks(self) -> None:
        """Executions on the device."""
        for name in self.parts["hwts"][:1]:
            with report_damage(self.trace, name):
                tasks = raw_records.tasks(self.files, self.parts["hwts"])
                self._lose("records lost because the device's buffer was full", tasks.overflows, name)
                self._lose("the file ends within a record", int(tasks.cut_bytes > 0), name)
                key = raw_records.task_key(tasks.task, tasks.stream)
                has_operator = np.isin(key, np.fromiter(self.tasks, np.int64, len(self.tasks)))
                self.trace.counts |= {
                    "task_records": tasks.records,
                    "operator_executions": int(has_operator.sum()),
                    "task_executions": int((~has_operator).sum()),
                    "unpaired_tasks": tasks.unpaired,
                }
                if not self.tasks:
                    self._lose("names of operators, as the framework's list of tasks is missing", len(key), name)
                self._add_operators(tasks, key, has_operator)
                # What the framework gave no name is control: events, notifications, parts of collectives.
                self._add_tasks(tasks, ~has_operator)

    def _add_operators(
        self,
        tasks: raw_records.Tasks,
        key: Longs,
        has_operator: NDArray[np.bool_],
    ) -> None:
        assembly = self.assembly
        keys, place = np.unique(key[has_operator], return_inverse=True)
        full_names = [self.tasks[task] for task in keys.tolist()]
        names = assembly.codes(full_names)
        types = assembly.codes(self._type(name) for name in full_names)
        shapes = assembly.codes(self._shapes(name) for name in full_names)
        streams, stream = np.unique(tasks.stream[has_operator], return_inverse=True)
        tracks = np.array(
            [
                assembly.track(f"stream {number}", "AI Core", Place.DEVICE, number, self.device)
                for number in streams.tolist()
            ],
            np.int32,
        )
        begin, end = tasks.begin[has_operator] * TICK_NANOSECONDS, tasks.end[has_operator] * TICK_NANOSECONDS
        if len(begin):
            assembly.add(
                begin, end - begin, tracks[stream], names[place], types[place], Activity.OPERATOR, shape=shapes[place]
            )
        self._sum(full_names, place, end - begin)

    def _add_tasks(self, tasks: raw_records.Tasks, selected: NDArray[np.bool_]) -> None:
        streams, stream = np.unique(tasks.stream[selected], return_inverse=True)
        if not len(streams):
            return
        tracks = np.array(
            [
                self.assembly.track(f"stream {number}", "tasks without an operator", Place.LAYER, number, self.device)
                for number in streams.tolist()
            ],
            np.int32,
        )
        numbers, number = np.unique(tasks.task[selected], return_inverse=True)
        names = self.assembly.codes(f"task {task}" for task in numbers.tolist())
        begin, end = tasks.begin[selected] * TICK_NANOSECONDS, tasks.end[selected] * TICK_NANOSECONDS
        self.assembly.add(begin, end - begin, tracks[stream], names[number])

    def _sum(
        self,
        full_names: list[str],
        place: Longs,
        duration: Longs,
    ) -> None:
        """Sums by operator with what the framework knows of each; an operator of several tasks runs once for all."""
        executions = np.bincount(place, minlength=len(full_names))
        totals = np.bincount(place, duration, minlength=len(full_names))
        first: dict[str, int] = {}
        total: dict[str, float] = defaultdict(float)
        for name, count, time in zip(full_names, executions.tolist(), totals.tolist(), strict=True):
            first.setdefault(name, count)
            total[name] += time
        # Operators that never ran while hwts was recording are known, too.
        names = list(dict.fromkeys([*self.tasks.values(), *self.operators, *first]))
        self.trace.operator_sums = OperatorSums(
            name=[name.rpartition("/")[2] for name in names],
            full_name=names,
            type=[self._type(name) for name in names],
            side=["AI Core"] * len(names),
            count=np.array([first.get(name, 0) for name in names], np.int64),
            total=np.array([total.get(name, 0.0) for name in names]),
            shortest=np.full(len(names), float(NOT_GIVEN)),
            longest=np.full(len(names), float(NOT_GIVEN)),
            details=[self._details(name) for name in names],
        )

    def _type(self, full_name: str) -> str:
        operator = self.operators.get(full_name)
        return operator.type if operator is not None and operator.type else raw_texts.type_from_name(full_name)

    def _shapes(self, full_name: str) -> str:
        operator = self.operators.get(full_name)
        return ";".join(operator.inputs) if operator is not None else ""

    def _details(self, full_name: str) -> dict[str, object]:
        operator = self.operators.get(full_name)
        return {
            "subgraph": raw_texts.subgraph_of(full_name),
            "block_dim": self.blocks.get(full_name),
            "op_info": operator.information if operator is not None else {},
        }

    def read_steps(self) -> None:
        """Steps and collectives."""
        for name in self.parts["steps"][:1]:
            with report_damage(self.trace, name):
                marks = raw_records.marks(self.files, self.parts["steps"])
                self._lose("steps without a beginning, an end or both of their marks", marks.unfinished, name)
                self._lose("beginnings or ends of collectives without the other", marks.unpaired, name)
                self._lose("the file ends within a record", int(marks.cut_bytes > 0), name)
                # Filling the data set queue looks like a step to the device.
                skipped = int(any(operator.startswith("Default/InitDataSetQueue") for operator in self.operators))
                training_steps = slice(skipped, None)
                times = [
                    column[training_steps] * TICK_NANOSECONDS
                    for column in (marks.begin, marks.end, marks.forward, marks.backward)
                ]
                if len(times[0]) == 0:
                    return
                if skipped:
                    times[0][0] = times[2][0]
                self.trace.steps = steps_of(np.arange(1, len(times[0]) + 1), *times)
                self.trace.counts["step_records"] = marks.records
                inside = marks.collective_step > skipped
                self._add_collectives(marks, inside, skipped)
                self.trace.facts["fp_start"] = self.points.get(1, "")
                self.trace.facts["bp_end"] = self.points.get(2, "")

    def _add_collectives(self, marks: raw_records.Marks, inside: NDArray[np.bool_], skipped: int) -> None:
        tags, streams = marks.collective_tag[inside].tolist(), marks.collective_stream[inside].tolist()
        if not tags:
            return
        names = [self.points.get(tag, f"collective {tag // 2}") for tag in tags]
        begin = marks.collective_begin[inside] * TICK_NANOSECONDS
        end = marks.collective_end[inside] * TICK_NANOSECONDS
        self.trace.collectives = Collectives(
            marks.collective_step[inside] - skipped, names, begin, end, [str(stream) for stream in streams]
        )
        show_collectives(self.assembly, self.trace.collectives)

    def read_rest(self) -> None:
        """Helper processors, waits for data, and the clock of the host."""
        for name in self.parts["helpers"][:1]:
            with report_damage(self.trace, name):
                self._add_helper_tasks("".join(self._text(part) for part in self.parts["helpers"]))
        for name in self.parts["waits"][:1]:
            with report_damage(self.trace, name):
                waits = raw_texts.waits("".join(self._text(part) for part in self.parts["waits"]))
                if (queue := minddata.wait_queue(waits)) is not None:
                    self.trace.pipelines.append(queue)
        for name in self.parts["start"]:
            with report_damage(self.trace, name):
                clocks = re.findall(r"(clock_\w+):\s*(\d{1,19})\s*$", self._text(name), re.MULTILINE)
                self.trace.facts["host_start"] = {clock: int(value) for clock, value in clocks}

    def _add_helper_tasks(self, content: str) -> None:
        tasks = raw_texts.helper_tasks(content)
        if not tasks:
            return
        # Without names they could be parts of what other rows show; they are shown and left out of sums.
        named = [task.name.rpartition("/")[2] for task in tasks]
        tracks = [
            self.assembly.track(
                "AI CPU",
                "AI CPU" if name else "AI CPU tasks without a name",
                Place.DEVICE if name else Place.LAYER,
                device=self.device,
            )
            for name in named
        ]
        types = [raw_texts.type_from_name(name) if name else "AI CPU task" for name in named]
        self.assembly.add(
            np.array([task.begin_ticks for task in tasks], np.int64) * TICK_NANOSECONDS,
            np.array([task.total_microseconds for task in tasks], np.int64) * 1000,
            np.array(tracks, np.int32),
            self.assembly.codes(name or "AI CPU task" for name in named),
            self.assembly.codes(types),
            Activity.AI_CPU,
        )
        self.trace.facts["ai_cpu"] = [
            {
                "name": task.name,
                "dispatch_ms": task.dispatch_microseconds / 1000,
                "total_ms": task.total_microseconds / 1000,
                "run_start": task.run_start,
                "run_end": task.run_end,
            }
            for task in tasks[:10_000]
        ]

    def _text(self, name: str) -> str:
        return self.files.read(name).decode("utf-8", "replace")

    def _lose(self, message: str, count: int, file: str) -> None:
        if count:
            self.trace.losses.append(Loss(message, count, file))

    def finish(self) -> None:
        """Hands over the slices; the earliest time of all becomes 0."""
        if self.trace.operator_sums is None and self.operators:
            self._sum([], np.empty(0, np.int64), np.empty(0, np.int64))
        self.assembly.finish(self.trace)
        slices, steps = self.trace.slices, self.trace.steps
        times = [
            table.min()
            for table in (slices.start if slices else None, steps.begin if steps else None)
            if table is not None and len(table)
        ]
        if times:
            shift(self.trace, int(min(times)))


def _slice_number(name: str) -> tuple[int, str]:
    number = _SLICE.search(base_name(name))
    return (int(number[1]) if number else 0, name)
