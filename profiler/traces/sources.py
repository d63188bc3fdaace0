"""Grouping of the profile files of a run into recordings, one per rank, each with its reader."""

from __future__ import annotations

import importlib
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from mindinsight_like.profiler.traces.files import Files, Progress, Source, Unreadable, base_name
from mindinsight_like.profiler.traces.trace import NOTHING, Loss, Trace

# By the end of the name; all other JSON files are asked by the reader of Chrome traces what they are.
_BY_ENDING: Final = {
    ".pt.trace.json": "kineto",
    ".paddle_trace.json": "paddle_json",
    ".paddle_trace.pb": "paddle_message",
    ".xplane.pb": "xplane",
    ".mi-trace": "own",
}
READERS: Final = frozenset({*_BY_ENDING.values(), "chrome", "ascend_job", "mindspore"})

# Files of one device in an Ascend JOB folder: `hwts.log.data.45.dev.profiler_default_tag.1.slice_0`, and with the
# job's name behind the device in containers.
_RAW = re.compile(
    r"^(?:(?:hwts\.log|aicore\.data|training_trace|ts_track|l2_cache|Framework|DATA_PREPROCESS)\..*?\.(\d+)"
    r"(?:\.([^.]+))?\.slice_\d+|host_start\.log\.(\d+)|(?:dev|host)_(?:start|end)\.log\.(\d+))$"
)
# What MindSpore's profiler made of it, one file per rank: `aicore_intermediate_0_type.csv`.
_TABLE = re.compile(
    r"^(?:framework_raw|output_format_data_hwts|output_op_compute_time|output_op_compute_time_detail"
    r"|output_timeline_data|output_data_preprocess_aicpu|min_cycle_counter|aicore_intermediate|aicpu_intermediate"
    r"|pynative_op_intermediate|flops|flops_summary|flops_scope|step_trace_raw|step_trace_point_info|step_trace_profiling"
    r"|minddata_pipeline_raw|minddata_pipeline_summary|minddata_aicpu|minddata_getnext_profiling|minddata_cpu_utilization"
    r"|pipeline_profiling|device_queue_profiling|dataset_iterator_profiling|dataset_cpu_sampling"
    r"|(?:ascend_|gpu_|cpu_)?timeline_display|(?:ascend_|gpu_|cpu_)?timeline_summary"
    r"|memory_usage|memory_usage_summary|memory_usage_details|dynamic_shape_info|hccl_raw|parallel_strategy|profiler_info"
    r"|gpu_op_type_info|gpu_op_detail_info|gpu_activity_data|gpu_framework|gpu_pynative_step_trace"
    r"|cpu_op_type_info|cpu_op_detail_info|cpu_op_execute_timestamp|cpu_framework|cpu_ms_memory_record"
    r"|(?:ascend_|gpu_)cluster_analyse_[a-z-]+_\d+_\d+|ascend_(?:mindspore|pytorch)_profiler)"
    r"_(\d+)(?:_(?:type|detail|detail_time))?\.(?:csv|json|txt|db)$"
)
_SHARED_TABLES: Final = frozenset({"step_trace_point_info.json", "trace_view.json", "profiler_metadata.json"})
_MARKS: Final = (".done", ".zip", ".join", ".lock")  # that a file is whole, or was sent away
_PROF_FOLDER = re.compile(r"^PROF_\w+$")
_DEVICE_FOLDER = re.compile(r"^device_(\d+)$")
_RANK = re.compile(r"(?:^|(?<=[/._-]))rank[_-]?(\d+)(?=$|[/._-])", re.IGNORECASE)
# Our own file of a process beside the training, named as that of the training with the number of the process.
_HELPER = re.compile(r"(\.\d{10,})\.\d+(\.mi-trace)(?:\.gz)?$")
# Our own file has the time of the recording, and so has the name of what a framework left of the same.
_RECORDED_AT = re.compile(r"(?<!\d)(\d{19})(?!\d)")
_TIME_DIGITS = re.compile(r"\d{10,}")
# As our Profiler has JAX call the folder of one rank of several.
_TIME_AND_RANK = re.compile(r"(\d{4}(?:_\d\d){5})(?:_\d+)?_rank(\d+)$")
# Ranks begin to record within this time of each other; a second recording of a rank is always another session.
_SESSION_SECONDS: Final = 600.0


@dataclass
class _Recording:
    """A recording while its files are gathered."""

    reader: str
    folder: str  # where ranks lie side by side, or the recording itself
    main: str
    rank: int = NOTHING
    files: list[str] = field(default_factory=list)
    worker: str = ""
    seconds: float | None = None  # when it was recorded, where the name tells


def sources_of(names: Sequence[str]) -> list[Source]:
    """The recordings that these files of a run are, sorted by session and rank.

    Names are below the base dir, with slashes. Files that are told to be no part of a recording are left out.
    """
    by_folder: dict[str, list[str]] = defaultdict(list)
    folders: dict[str, list[str]] = defaultdict(list)  # MindSpore's and Ascend's recordings, by folder
    jobs: dict[tuple[str, str], list[str]] = defaultdict(list)
    loose: list[str] = []
    names = [name for name in names if not name.endswith(_MARKS)]
    for name in sorted(set(names)):
        by_folder[_parent(name)].append(name)
    raw_folders = {_job_folder(name) for name in names if _RAW.match(base_name(name))}
    for name in sorted(set(names)):
        base = base_name(name)
        raw = _RAW.match(base)
        if (owner := _ascend_folder(name)) is not None:
            folders[owner].append(name)
        elif raw is not None:
            job = raw[2] or ""
            jobs[_job_folder(name), job].append(name)
        elif _TABLE.match(base) or base in _SHARED_TABLES:
            folder = _parent(name)
            if folder in raw_folders or _base(folder).startswith("JOB"):
                jobs[folder, ""].append(name)
            else:
                folders[folder].append(name)
        else:
            loose.append(name)
    recordings: list[_Recording] = []
    for (folder, job), files in jobs.items():
        recordings += _jobs(folder, job, files)
    for folder, files in _with_prof_folders(folders).items():
        recordings += _ranks(folder, files)
    own = [name for name in loose if _is_own(name)]
    recordings += _single_files([name for name in loose if not _is_own(name)], by_folder)
    recordings += _single_files(_without_companions(own, recordings), by_folder)
    return _in_sessions(recordings)


def read(source: Source, files: Files, progress: Progress) -> Trace:
    """The recording; raises Unreadable with one sentence for the user."""
    if source.reader not in READERS:
        raise Unreadable(f"no reader for profiles of kind {source.reader!r}")
    module = importlib.import_module(f"mindinsight_like.profiler.traces.readers.{source.reader}")
    try:
        trace: Trace = module.read(files, source, progress)
    except OSError as error:
        raise Unreadable(f"{source.main} cannot be read: {error.strerror or error}") from error
    if source.reader != "own" and (beside := [name for name in source.files if _is_own(name)]):
        _add_companions(trace, files, source, beside)
    for name in source.files:
        if unpack_error := files.unpack_errors.pop(name, ""):
            trace.losses.append(Loss(f"{name} is damaged gzip data, read up to the damage: {unpack_error}", file=name))
    if trace.rank == NOTHING:
        trace.rank = source.rank
    return trace


def _add_companions(trace: Trace, files: Files, source: Source, names: list[str]) -> None:
    """What our `Profiler` recorded by hand beside a framework's profiler."""
    from mindinsight_like.profiler.traces.joining import join
    from mindinsight_like.profiler.traces.readers import own

    try:
        join(trace, own.read(files, replace(source, reader="own", main=names[0], files=tuple(names)), lambda _: None))
    except (Unreadable, OSError) as error:
        trace.losses.append(Loss(f"cannot read the manual recording: {error}", file=names[0]))


def _is_own(name: str) -> bool:
    return base_name(name).endswith(".mi-trace")


def _without_companions(own: list[str], recordings: list[_Recording]) -> list[str]:
    """Our own files without those that are parts of recordings of frameworks, which get them here."""
    if not own:
        return []
    by_time = {time: each for each in recordings for time in _RECORDED_AT.findall(_own_part(each.main))}
    alone = []
    for name in own:
        times = _RECORDED_AT.findall(base_name(name))
        if times and times[-1] in by_time:
            by_time[times[-1]].files.append(name)
        else:
            alone.append(name)
    return alone


def _own_part(main: str) -> str:
    """The name of a recording's file or folder; of XLA's profiler the folder that the file lies in."""
    return "/".join(main.rsplit("/", 2)[-2:]) if base_name(main).endswith(".xplane.pb") else _base(main)


def _parent(name: str) -> str:
    return name.rpartition("/")[0]


def _base(name: str) -> str:
    return name.rpartition("/")[2]


def _ascend_folder(name: str) -> str | None:
    """The folder of the recording where folders of the path say that it is one of MindSpore's or Ascend's."""
    parts = name.split("/")[:-1]
    for place, part in enumerate(parts):
        if part.endswith(("_ascend_ms", "_ascend_pt")) or _PROF_FOLDER.match(part):
            return "/".join(parts[: place + 1])
        if part in ("ASCEND_PROFILER_OUTPUT", "FRAMEWORK"):
            return "/".join(parts[:place])
    return None


def _job_folder(name: str) -> str:
    """The JOB folder of a raw file, which may lie in its `data`."""
    folder = _parent(name)
    return _parent(folder) if _base(folder) == "data" else folder


def _jobs(folder: str, job: str, files: list[str]) -> Iterable[_Recording]:
    by_device: dict[int, list[str]] = defaultdict(list)
    shared: list[str] = []
    for name in files:
        base = base_name(name)
        match = _RAW.match(base)
        device = next((number for number in (match[1], match[3], match[4]) if number), None) if match else None
        if device is None and (table := _TABLE.match(base)) is not None:
            device = table[1]
        (shared if device is None else by_device[int(device)]).append(name)
    for device_number, own in by_device.items():
        main = f"{folder}/{job}" if job else folder
        yield _Recording("ascend_job", main, main or own[0], device_number, sorted(own + shared))


def _with_prof_folders(folders: dict[str, list[str]]) -> dict[str, list[str]]:
    """PROF folders joined to the MindSpore folder that they lie in."""
    joined: dict[str, list[str]] = defaultdict(list)
    for folder, files in folders.items():
        parent = _parent(folder)
        inside = _PROF_FOLDER.match(_base(folder)) and (parent in folders or _base(parent).startswith("profiler"))
        joined[parent if inside else folder] += files
    return joined


def _ranks(folder: str, files: list[str]) -> Iterable[_Recording]:
    """One recording for each rank of a folder."""
    by_rank: dict[int, list[str]] = defaultdict(list)
    by_device: dict[int, list[str]] = defaultdict(list)  # of PROF folders, whose names have devices, not ranks
    shared: list[str] = []
    for name in files:
        table = _TABLE.match(base_name(name))
        devices = [int(match[1]) for part in name.split("/") if (match := _DEVICE_FOLDER.match(part))]
        if table is not None:
            by_rank[int(table[1])].append(name)
        elif devices:
            by_device[devices[0]].append(name)
        else:
            shared.append(name)
    if len(by_rank) == 1 and len(by_device) == 1:
        by_rank[next(iter(by_rank))] += next(iter(by_device.values()))
    else:
        for device, own in by_device.items():
            by_rank[device] += own
    named = _rank_of(folder)
    if not by_rank:
        by_rank[named] = []
    worker, seconds = _worker_and_time(_base(folder)) if folder.endswith(("_ascend_ms", "_ascend_pt")) else ("", None)
    for rank, own in by_rank.items():
        # A training whose ranks each have a folder may call every one of them rank 0.
        actual_rank = named if named != NOTHING and len(by_rank) == 1 else rank
        side_by_side = folder if seconds is None else _parent(folder)
        yield _Recording(
            "mindspore", side_by_side, folder or own[0], actual_rank, sorted(own + shared), worker, seconds
        )


def _single_files(names: list[str], by_folder: dict[str, list[str]]) -> Iterable[_Recording]:
    beside = {folder: {base_name(name) for name in files} for folder, files in by_folder.items()}
    hosts = {
        folder: sorted(other for other in others if other.endswith(".xplane.pb")) for folder, others in beside.items()
    }
    helpers = _of_helpers(names)
    parts = {part for each in helpers.values() for part in each}
    for name in names:
        if name in parts:
            continue
        plain = base_name(name)
        ending = next((end for end in _BY_ENDING if plain.endswith(end)), None)
        reader = _BY_ENDING[ending] if ending else "chrome"
        if ending is None and not plain.endswith(".json"):
            continue
        folder = _parent(name)
        if reader == "chrome" and hosts[folder]:
            continue  # the same recording once more, made for viewers
        if reader == "paddle_json" and plain.removesuffix("json") + "pb" in beside[folder]:
            continue
        if reader == "xplane" and (match := _TIME_AND_RANK.match(_base(folder))) is not None:
            began = _calendar_seconds(match[1].replace("_", ""))
            yield _Recording(reader, _parent(folder), name, int(match[2]), [name], "", began)
            continue
        if reader == "xplane":
            rank = hosts[folder].index(plain) if len(hosts[folder]) > 1 else NOTHING
            yield _Recording(reader, folder, name, rank, [name])
            continue
        worker, seconds = _worker_and_time(plain.removesuffix(ending or ".json"))
        yield _Recording(reader, folder, name, _rank_of(name), [name, *helpers.get(name, ())], worker, seconds)


def _of_helpers(names: list[str]) -> dict[str, list[str]]:
    """Files of processes beside a training by that of the training, or by the first of them where it has none."""
    existing = set(names)
    families: dict[str, list[str]] = defaultdict(list)
    for name in names:
        if _HELPER.search(name):
            families[_HELPER.sub(r"\1\2", name)].append(name)
    helpers = {}
    for parent, members in families.items():
        first = next((each for each in (parent, f"{parent}.gz") if each in existing), None)
        helpers[first or members[0]] = members if first else members[1:]
    return helpers


def _rank_of(name: str) -> int:
    """The last rank that a path speaks of."""
    ranks = _RANK.findall(name)
    return int(ranks[-1]) if ranks else NOTHING


def _worker_and_time(stem: str) -> tuple[str, float | None]:
    """What comes before the time in a name, and the time, on some scale of seconds."""
    if (paddle := re.search(r"^(.*)_time_(\d{4})_(\d\d)_(\d\d)_(\d\d)_(\d\d)_(\d\d)", stem)) is not None:
        return paddle[1], _calendar_seconds("".join(paddle.groups()[1:]))
    times = list(_TIME_DIGITS.finditer(stem))
    if not times:
        return stem, None
    digits = times[-1][0]
    worker = stem[: times[-1].start()]
    if len(digits) in (14, 17) and digits.startswith("20"):
        return worker, _calendar_seconds(digits)
    scale = max(0, len(digits) - 10)  # unix seconds have ten digits; the rest is a fraction
    return worker, int(digits) / 10**scale


def _calendar_seconds(digits: str) -> float:
    """Seconds of yyyymmddHHMMSS[mmm], with months of 31 days: only for telling neighbours in time."""
    year, month, day, hour, minute, second = (
        int(digits[a:b]) for a, b in ((0, 4), (4, 6), (6, 8), (8, 10), (10, 12), (12, 14))
    )
    return ((((year * 12 + month) * 31 + day) * 24 + hour) * 60 + minute) * 60.0 + second


def _in_sessions(recordings: list[_Recording]) -> list[Source]:
    """Recordings with the session that they belong to."""
    sources = []
    families: dict[tuple[str, str], list[_Recording]] = defaultdict(list)
    for recording in recordings:
        families[recording.reader, _RANK.sub("rank", recording.folder)].append(recording)
    for members in families.values():
        timed = sorted((m for m in members if m.seconds is not None), key=lambda m: (m.seconds or 0.0, m.main))
        sources += [_source(m, m.folder if m.reader != "chrome" else m.main) for m in members if m.seconds is None]
        session, began, members_seen = "", 0.0, set[tuple[str, int]]()
        for member in timed:
            key = (member.worker, member.rank)
            same_rank = member.rank != NOTHING and any(rank == member.rank for _, rank in members_seen)
            if (
                not members_seen
                or key in members_seen
                or same_rank
                or (member.seconds or 0.0) - began > _SESSION_SECONDS
            ):
                session, began, members_seen = member.main, member.seconds or 0.0, set()
            members_seen.add(key)
            sources.append(_source(member, session))
    return sorted(sources, key=lambda s: (s.session, s.rank, s.main))


def _source(recording: _Recording, session: str) -> Source:
    return Source(recording.reader, session, recording.rank, recording.main, tuple(recording.files))
