"""Which runs are sub-runs of one training, by their names and, for versions, by the steps that they have logged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from mindinsight_like.store.result_types import ScalarReach

from .rules import FoldingRules

NO_ROLE: Final = 0
TRAINING: Final = 1
EVALUATION: Final = 2

_OVERLAP = 0.5  # of the steps of a version: from there on the next one may go on
_GAP = 0.1  # of them: as far behind its last step


Reaches = Callable[[Sequence[int]], Mapping[int, ScalarReach]]


@dataclass
class SubRuns:
    """Runs by the name of the row they are shown in; runs are numbered as they were given."""

    rows: dict[str, list[int]]
    roles: dict[int, int] = field(default_factory=dict)
    ranks: dict[int, int] = field(default_factory=dict)
    versions: dict[int, int] = field(default_factory=dict)
    sessions: set[int] = field(default_factory=set)  # that a run above them has written

    def join(self, name: str, parts: Sequence[str]) -> None:
        """Show some rows as one."""
        runs = [run for part in dict.fromkeys([name, *parts]) for run in self.rows.pop(part, ())]
        self.rows[name] = runs


def find_sub_runs(
    names: Sequence[str], rules: FoldingRules, reaches: Reaches, sessions: Callable[[], Mapping[int, bool]]
) -> SubRuns:
    """The rows of runs with these names; `reaches` is asked for versions that one training may have written.

    `sessions`: for runs of which more than their files is known, whether that includes hyperparameters.
    Training and evaluation are united first, so that `rank_0/train`, `rank_1/train` … are one row, too.
    """
    sub_runs = SubRuns({name: [run] for run, name in enumerate(names)})
    if rules.is_enabled:
        if rules.sessions:
            _join_sessions(sub_runs, sessions())
        _join_roles(sub_runs, rules)
        _join_ranks(sub_runs, rules)
        _join_versions(sub_runs, rules, reaches)
    return sub_runs


def _join_sessions(sub_runs: SubRuns, known: Mapping[int, bool]) -> None:
    """`add_hparams` of torch writes a session into a directory of its own below the curves."""
    by_parent: dict[str, list[str]] = {}
    for name, (run, *_) in sub_runs.rows.items():
        if known.get(run):
            by_parent.setdefault(name.rpartition("/")[0] or ".", []).append(name)
    for parent, sessions in by_parent.items():
        above = sub_runs.rows.get(parent, ())
        # Several sessions are those of an experiment; what is known of the run above is no reason to hide it.
        if len(sessions) > 1 or not above or above[0] in known or _is_base_dir(parent):
            continue
        sub_runs.sessions.update(sub_runs.rows[sessions[0]])
        sub_runs.join(parent, sessions)


def _join_roles(sub_runs: SubRuns, rules: FoldingRules) -> None:
    role_of = dict.fromkeys(rules.training, TRAINING) | dict.fromkeys(rules.evaluation, EVALUATION)
    by_parent: dict[str, list[tuple[str, int]]] = {}
    for name in sub_runs.rows:
        parent, _, directory = name.rpartition("/")
        if role := role_of.get(directory.lower()):
            by_parent.setdefault(parent or ".", []).append((name, role))
    sizes: Counter[str] | None = None
    for parent, parts in by_parent.items():
        roles = {role for _, role in parts}
        has_training = TRAINING in roles or parent in sub_runs.rows
        if EVALUATION not in roles or not has_training:
            continue
        if _is_base_dir(parent):
            # Directories of a base directory belong together only where there is nothing else.
            sizes = sizes or Counter(map(_base_dir, sub_runs.rows))
            if sizes[parent] > len({*(name for name, _ in parts), *([parent] if parent in sub_runs.rows else [])}):
                continue
        if TRAINING not in roles:
            parts.append((parent, TRAINING))
        for name, role in parts:
            sub_runs.roles |= dict.fromkeys(sub_runs.rows[name], role)
        sub_runs.join(parent, [name for name, _ in parts])


def _join_ranks(sub_runs: SubRuns, rules: FoldingRules) -> None:
    pattern = rules.rank_name
    if pattern is None:
        return
    by_prefix: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for name in sub_runs.rows:
        parent, _, directory = name.rpartition("/")
        if match := pattern.fullmatch(directory):
            by_prefix.setdefault((parent or ".", match[1]), []).append((int(match[2]), name))
    for (parent, _), parts in by_prefix.items():
        if len({rank for rank, _ in parts}) < 2 or any(name not in sub_runs.rows for _, name in parts):
            continue
        for rank, name in parts:
            sub_runs.ranks |= dict.fromkeys(sub_runs.rows[name], rank)
        sub_runs.join(parent, [name for _, name in sorted(parts)])


def _join_versions(sub_runs: SubRuns, rules: FoldingRules, reaches: Reaches) -> None:
    pattern = rules.version_name
    if pattern is None:
        return
    by_prefix: dict[tuple[str, str], dict[int, str]] = {}
    for name in sub_runs.rows:
        parent, _, directory = name.rpartition("/")
        if match := pattern.fullmatch(directory):
            by_prefix.setdefault((parent, match[1]), {})[int(match[2])] = name
    pairs = [
        (number, names[number], names[number + 1])
        for names in by_prefix.values()
        for number in sorted(names)
        if number + 1 in names
    ]
    if not pairs:
        return
    candidates = {name for _, *both in pairs for name in both}
    steps = reaches(sorted(run for name in candidates for run in sub_runs.rows[name]))
    joined = {name: _joined([steps[run] for run in sub_runs.rows[name] if run in steps]) for name in candidates}
    first_of: dict[str, str] = {}  # of a version that goes on: the one that the training began with
    for number, name, following in pairs:
        if not _goes_on(joined[name], joined[following]):
            continue
        first = first_of.get(name, name)
        if first == name:
            sub_runs.versions |= dict.fromkeys(sub_runs.rows[name], number)
        sub_runs.versions |= dict.fromkeys(sub_runs.rows[following], number + 1)
        first_of[following] = first
        sub_runs.join(first, [following])


def _goes_on(earlier: ScalarReach | None, later: ScalarReach | None) -> bool:
    """Whether a version resumes another: after its last point in time, from its later steps or just behind them."""
    if earlier is None or later is None or later.first_wall < earlier.last_wall:
        return False
    length = earlier.last_step - earlier.first_step
    begin = earlier.first_step + _OVERLAP * length
    return length > 0 and begin <= later.first_step <= earlier.last_step + max(1.0, _GAP * length)


def _joined(parts: Sequence[ScalarReach]) -> ScalarReach | None:
    if not parts:
        return None
    first_steps, last_steps, first_walls, last_walls = zip(*parts, strict=True)
    return ScalarReach(min(first_steps), max(last_steps), min(first_walls), max(last_walls))


def _base_dir(name: str) -> str:
    """The name of the run that the base directory of a run would be."""
    return f"/{name[1:].partition('/')[0]}" if name.startswith("/") else "."


def _is_base_dir(name: str) -> bool:
    return name == "." or (name.startswith("/") and "/" not in name[1:])
