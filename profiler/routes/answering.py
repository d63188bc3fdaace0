"""What routes of profiles have in common: the profile, the wait for its analysis, its ETag, its errors."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from flask import current_app
from flask.wrappers import Response

from mindinsight_like.errors import BadParameter, Busy, NotFound, ServiceError, StillLoading, Unreadable
from mindinsight_like.jobs.folder import FAILED
from mindinsight_like.profiler.analysis.advice import SEVERITIES
from mindinsight_like.profiler.results import tables
from mindinsight_like.profiler.results.analyses import Analyses, Opened
from mindinsight_like.profiler.results.job import Status
from mindinsight_like.profiler.results.known import KnownProfile
from mindinsight_like.web.answers import json_answer, unless_known
from mindinsight_like.web.parameters import Single, text, whole
from mindinsight_like.web.schemas import COUNT, NUMBER, STRING, WHOLE, Schema, choice, or_null, record, with_optional
from mindinsight_like.web.source import current_reader

ERRORS: tuple[type[ServiceError], ...] = (NotFound, Unreadable, Busy, StillLoading)

STATE_FIELDS: dict[str, Schema] = {
    "state": choice(*tables.STATES),
    "progress": NUMBER | {"description": "0 to 1."},
    "message": STRING | {"description": "Why it failed; else what is done now."},
}
WAITING = record(**STATE_FIELDS) | {"description": "Ask again in a moment."}
PROFILE_FIELDS: dict[str, Schema] = {
    "id": STRING,
    "run": STRING | {"description": "Id of the run."},
    "run_name": STRING,
    "session": STRING | {"description": "The same for the ranks of a run that were recorded together."},
    "rank": or_null(WHOLE),
    "device": STRING,
    "tool": STRING,
    "name": STRING,
    "bytes": COUNT,
    "steps": or_null(COUNT) | {"description": "Known once it is analysed, as are `device` and `started_at`."},
    "started_at": or_null(NUMBER) | {"description": "Seconds since 1970."},
    **STATE_FIELDS,
}
ROW: Schema = {"type": "object", "description": "A value for each of the columns."}
ADVICE = with_optional(
    record(
        rule=STRING,
        severity=choice(*SEVERITIES),
        numbers={"type": "object", "description": "What the rule found; shares are of 1, times in ms."},
    ),
    place=STRING | {"description": "Where to look, below the page of the profile."},
)
COLUMN = record(name=STRING, unit=STRING, kind=STRING)

FROM = whole(
    "from_ns", "Begin of the range, nanoseconds as in `/tracks`; that of the profile by default.", default=None
)
TO = whole("to_ns", "Its end; that of the profile by default.", default=None)
OFFSET = whole("offset", "How many to skip.", default=0, lowest=0)
LIMIT = whole("limit", "How many to answer with at most.", default=100, lowest=0, highest=100_000)
SEARCH = text("search", "Only with all of these words, in any order, in upper or lower case.")


def _numbers(given: str) -> list[int]:
    if not re.fullmatch(r"[0-9]{1,9}(,[0-9]{1,9})*", given):
        raise ValueError(given)
    return [int(part) for part in given.split(",")]


TRACKS: Single[list[int] | None] = Single(
    "tracks",
    "Ids of tracks, separated by commas; all by default.",
    "whole numbers separated by commas",
    _numbers,
    None,
    STRING,
)


def current_analyses() -> Analyses:
    # One for all threads, so that they share what is open.
    extensions = current_app.extensions
    if "profiles" not in extensions:
        extensions.setdefault("profiles", Analyses(extensions["settings"], current_reader))
    found: Analyses = extensions["profiles"]
    return found


def about(profile: KnownProfile, status: Status | None) -> dict[str, Any]:
    """What lists tell of a profile."""
    return tables.about(profile, status) | _state(status)


Answer = dict[str, Any] | list[Any] | Response


def answered(
    id: str, build: Callable[[Opened], Answer], *, with_run: bool = False, lasts_for: str | None = None
) -> Response:
    """What `build` makes of an analysed profile, with an ETag; 202 as long as it is being analysed.

    Asking starts the analysis. `with_run`: the answer changes with other logs of the run, too; `lasts_for` this state
    of the profile the client need not ask again. Raises NotFound for a profile that is not there, Unreadable for one
    whose analysis failed, and BadParameter for what an analysis does not know.
    """
    return answered_together([id], lambda opened: build(opened[0]), with_run=with_run, lasts_for=lasts_for)


def answered_together(
    ids: Sequence[str],
    build: Callable[[list[Opened]], Answer],
    *,
    with_run: bool = False,
    lasts_for: str | None = None,
) -> Response:
    """The same of several profiles, which are analysed at once where they have to be."""
    analyses = current_analyses()
    profiles = [analyses.find(id) for id in ids]
    if len(profiles) > 1:
        analyses.start([profile for profile in profiles if analyses.status(profile) is None])
    found = [analyses.open(profile) for profile in profiles]
    opened = [each for each in found if isinstance(each, Opened)]
    if len(opened) < len(found):
        return _waiting([each for each in found if isinstance(each, Status)], len(opened))

    def answer() -> Response:
        try:
            made = build(opened)
        except ValueError as error:
            raise BadParameter(f"{error}.".replace("..", ".")) from error
        except IndexError as error:
            raise NotFound("the profile has no such part") from error
        return made if isinstance(made, Response) else json_answer(made)

    state = [each.state for each in opened]
    versions = current_reader().versions([each.profile.run for each in opened]) if with_run else []
    return unless_known((state, versions), answer, lasts=state == [lasts_for])


def _waiting(statuses: Sequence[Status], ready: int) -> Response:
    for status in statuses:
        if status.state == FAILED:
            raise Unreadable(status.message, state="failed")
    progress = (ready + sum(status.progress for status in statuses)) / (ready + len(statuses))
    slowest = min(statuses, key=lambda status: status.progress)
    answer = json_answer(_state(slowest) | {"progress": round(progress, 3)}, status=202)
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _state(status: Status | None) -> dict[str, Any]:
    found = status or Status("new")
    message = found.message or found.stage
    return {"state": tables.state_of(status), "progress": round(found.progress, 3), "message": message}
