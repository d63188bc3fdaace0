"""Shared plumbing of profile routes: profile lookup, waiting for its analysis, ETag, errors."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, cast

from flask.wrappers import Response
from msgspec import Meta
from typing_extensions import TypedDict

from mindinsight_like.errors import BadParameter, Busy, NotFound, ServiceError, StillLoading, Unreadable
from mindinsight_like.http.app_state import Shared
from mindinsight_like.http.index_access import current_reader
from mindinsight_like.http.parameters import Single, whole, words
from mindinsight_like.http.responses import conditional_response, json_response
from mindinsight_like.http.schemas import STRING
from mindinsight_like.jobs.folder import FAILED
from mindinsight_like.profiler.analysis.advice import AdviceItem
from mindinsight_like.profiler.analysis.summary import LostRecords
from mindinsight_like.profiler.jobs import tables
from mindinsight_like.profiler.jobs.analysis_folder import ProfileFigures, Status
from mindinsight_like.profiler.jobs.analysis_jobs import Analyses, Opened
from mindinsight_like.profiler.jobs.profile_catalogue import IndexedProfile
from mindinsight_like.profiler.jobs.tables import ProfileFacts, ProfileState
from mindinsight_like.profiler.traces.trace import NOTHING
from mindinsight_like.store.segments.sealing import BrokenSeal

_TRIES = 3
ERRORS: tuple[type[ServiceError], ...] = (NotFound, Unreadable, Busy, StillLoading)

Progress = Annotated[float, Meta(ge=0, le=1)]
Message = Annotated[str, Meta(description="Why the analysis failed, or its current stage.")]


class AnalysisStatus(TypedDict):
    """How far an analysis is; ask again in a moment."""

    state: ProfileState
    progress: Progress
    message: Message


class ProfileEntry(ProfileFacts):
    """A profile in a list."""

    progress: Progress
    message: Message
    ranks: Annotated[int | None, Meta(description="For the whole training, if the profiler recorded it.")]
    average_step: Annotated[float | None, Meta(description="Duration of an average whole step, milliseconds.")]
    breakdown: Annotated[
        dict[str, float], Meta(description="Parts of an average whole step, milliseconds; they add up to it.")
    ]
    first_advice: Annotated[AdviceItem | None, Meta(description="The most important advice, once it is analysed.")]
    losses: Annotated[list[LostRecords], Meta(description="What could not be read; in lists the first of it.")]
    loss_count: Annotated[int, Meta(ge=0)]


FROM = whole(
    "from_ns", "Begin of the range, nanoseconds as in `/tracks`; that of the profile by default.", default=None
)
TO = whole("to_ns", "Its end; that of the profile by default.", default=None)
OFFSET = whole("offset", "How many to skip.", default=0, lowest=0)
LIMIT = whole("limit", "Maximum number of items.", default=100, lowest=0, highest=100_000)
SEARCH = words("search", "Only with all of these words, in any order, in upper or lower case.")


def _numbers(text: str) -> list[int]:
    if not re.fullmatch(r"[0-9]{1,9}(,[0-9]{1,9})*", text):
        raise ValueError(text)
    return [int(part) for part in text.split(",")]


TRACKS: Single[list[int] | None] = Single(
    "tracks",
    "Ids of tracks, separated by commas; all by default.",
    "comma-separated integers",
    _numbers,
    None,
    STRING,
)


# One for all threads, so that they share what is open.
_ANALYSES = Shared(lambda state, reader: Analyses(state.settings, current_reader))


def current_analyses() -> Analyses:
    return _ANALYSES.current()


def about(profile: IndexedProfile, status: Status | None) -> ProfileEntry:
    """The entry of a profile in lists."""
    current = _status(status)
    figures: ProfileFigures = {} if status is None else status.figures
    ranks = figures.get("ranks", NOTHING)
    return {
        **tables.about(profile, status),
        "progress": current["progress"],
        "message": current["message"],
        "ranks": ranks if ranks > 0 else None,
        "average_step": figures.get("average_step"),
        "breakdown": figures.get("breakdown", {}),
        "first_advice": cast("AdviceItem | None", figures.get("advice")),
        "losses": cast("list[LostRecords]", figures.get("losses", [])),
        "loss_count": figures.get("loss_count", 0),
    }


def answered(
    id: str, build: Callable[[Opened], object], *, with_run: bool = False, lasts_for: str | None = None
) -> Response:
    """What `build` makes of an analysed profile, a response or its body, with an ETag; 202 while it is being analysed.

    Asking starts the analysis. `with_run`: the answer changes with other logs of the run, too; `lasts_for` this state
    of the profile the client need not ask again. Raises NotFound for a profile that is not there, Unreadable for one
    whose analysis failed, and BadParameter for what an analysis does not know.
    """
    return answered_together([id], lambda opened: build(opened[0]), with_run=with_run, lasts_for=lasts_for)


def answered_together(
    ids: Sequence[str],
    build: Callable[[list[Opened]], object],
    *,
    with_run: bool = False,
    lasts_for: str | None = None,
) -> Response:
    """The same of several profiles, which are analysed at once where they have to be."""
    analyses = current_analyses()
    for _ in range(_TRIES):
        opened = _opened_together(analyses, ids)
        if isinstance(opened, Response):
            return opened
        state = [each.state for each in opened]
        versions = current_reader().runs.versions([each.profile.run for each in opened]) if with_run else []
        try:
            return conditional_response((state, versions), partial(_built, build, opened), lasts=state == [lasts_for])
        except BrokenSeal as error:
            analyses.discard(opened, error)
    raise StillLoading("the profile is being analysed again; try again in a moment")


def _opened_together(analyses: Analyses, ids: Sequence[str]) -> list[Opened] | Response:
    """The profiles, or how far their analyses are."""
    profiles = [analyses.find(id) for id in ids]
    if len(profiles) > 1:
        analyses.start([profile for profile in profiles if analyses.status(profile) is None])
    results = [analyses.open(profile) for profile in profiles]
    opened = [each for each in results if isinstance(each, Opened)]
    if len(opened) < len(results):
        return waiting_answer([each for each in results if isinstance(each, Status)], len(opened))
    return opened


def _built(build: Callable[[list[Opened]], object], opened: list[Opened]) -> Response:
    try:
        answer = build(opened)
    except ValueError as error:
        raise BadParameter(f"{error}.".replace("..", ".")) from error
    except IndexError as error:
        raise NotFound("the profile has no such data") from error
    return answer if isinstance(answer, Response) else json_response(answer)


def waiting_answer(statuses: Sequence[Status], ready: int = 0) -> Response:
    """202 with how far it is, of all that is waited for and what is ready; raises Unreadable for what failed."""
    for status in statuses:
        if status.state == FAILED:
            raise Unreadable(status.message, state="failed")
    progress = (ready + sum(status.progress for status in statuses)) / (ready + len(statuses))
    slowest = min(statuses, key=lambda status: status.progress)
    body: AnalysisStatus = {**_status(slowest), "progress": round(progress, 3)}
    answer = json_response(body, status=202)
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _status(status: Status | None) -> AnalysisStatus:
    current = status or Status("new")
    message = current.message or current.stage
    return {"state": tables.state_of(status), "progress": round(current.progress, 3), "message": message}
