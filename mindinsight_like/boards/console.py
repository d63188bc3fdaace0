"""The console of a run: what its training printed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from flask import Blueprint
from flask.wrappers import Response
from msgspec import Meta

from mindinsight_like.errors import BadParameter, RunNotFound, StillLoading
from mindinsight_like.http.index_access import current_reader
from mindinsight_like.http.operations import Operation
from mindinsight_like.http.parameters import Params, choice, finite, flag, text, whole
from mindinsight_like.http.response_types import Count, Timestamp, response_type
from mindinsight_like.http.responses import attachment_name, conditional_response, json_response
from mindinsight_like.items import console as items
from mindinsight_like.items.console import MOST_CHARACTERS, open_console
from mindinsight_like.values.console import LEVELS, Wanted

bp = Blueprint("console", __name__)

_MOST_LINES = 5000
_LONGEST_SEARCH = 500
_ANY = "any"

_FROM_LINE = whole(
    "from_line", "First line; by default so that the window ends at the last one.", default=None, lowest=0
)
_LIMIT = whole("limit", "Maximum number of lines.", default=500, lowest=1, highest=_MOST_LINES)
_AT = finite("at", "Seconds since 1970: a window around the last line printed by then; instead of `from_line`.")
_CONTAINS = text("contains", f"Text in the line, at most {_LONGEST_SEARCH} characters; the case of a to z is ignored.")
_LEVEL = choice("level", "Only lines of this level or a more serious one.", (_ANY, *LEVELS), default=_ANY)
_BACKWARD = flag("backward", "Search towards the first line.")
_SEARCH_FROM = whole(
    "from_line", "Where to begin; by default at the first line, or the last one.", default=None, lowest=0
)

_ERRORS = (RunNotFound, StillLoading)


@response_type
class ConsoleLine:
    """A line of the console, without colours."""

    number: Annotated[int, Meta(ge=0, description="Counted from 0.")]
    text: Annotated[str, Meta(description=f"At most {MOST_CHARACTERS:,} characters.")]
    level: Annotated[str | None, Meta(description=f"{', '.join(LEVELS)}; guessed from the start of the line.")]
    time: Timestamp | None


@response_type
class ConsoleWindow:
    """Consecutive lines of the console."""

    total_lines: Count
    has_times: Annotated[bool, Meta(description="Whether `at` can be asked for.")]
    at_line: Annotated[int | None, Meta(description="The line that `at` led to; null without it or without times.")]
    lines: Annotated[
        list[ConsoleLine], Meta(description="Fewer than `limit` if they are long; ask again behind the last one.")
    ]


@response_type
class FoundConsoleLines:
    """Lines that a search has found, in the order of searching."""

    total_lines: Count
    lines: list[ConsoleLine]
    next_line: Annotated[
        int | None,
        Meta(description="`from_line` of the next page, which may also be needed as time was up; null at the end."),
    ]


@bp.get("/runs/<run_id:run_id>/console")
@Operation(answer=ConsoleWindow, parameters=(_FROM_LINE, _LIMIT, _AT), errors=_ERRORS)
def console(params: Params, run_id: str) -> Response:
    """Consecutive lines that the training printed, the last ones by default."""
    reader = current_reader()

    def build() -> Response:
        limit, moment, first = params[_LIMIT], params[_AT], params[_FROM_LINE]
        with open_console(reader, run_id) as opened:
            at_line = None if moment is None else opened.at(moment)
            if at_line is not None:
                first = max(0, at_line - limit // 2)
            return json_response(
                ConsoleWindow(
                    total_lines=opened.total,
                    has_times=opened.has_times,
                    at_line=at_line,
                    lines=[_line(each) for each in opened.window(first, limit)],
                )
            )

    return conditional_response(reader.runs.versions([run_id]), build)


@bp.get("/runs/<run_id:run_id>/console/search")
@Operation(answer=FoundConsoleLines, parameters=(_CONTAINS, _LEVEL, _SEARCH_FROM, _BACKWARD, _LIMIT), errors=_ERRORS)
def search(params: Params, run_id: str) -> Response:
    """Lines with a text and of a level. A search ends after some seconds; `next_line` is where it goes on."""
    reader = current_reader()
    if len(params[_CONTAINS]) > _LONGEST_SEARCH:
        raise BadParameter(f"contains must have at most {_LONGEST_SEARCH} characters", parameter="contains")

    def build() -> Response:
        level = None if params[_LEVEL] == _ANY else params[_LEVEL]
        wanted = Wanted(params[_CONTAINS], level)
        with open_console(reader, run_id) as opened:
            begin = params[_SEARCH_FROM]
            if begin is None:
                begin = max(0, opened.total - 1) if params[_BACKWARD] else 0
            found = opened.search(wanted, from_line=begin, limit=params[_LIMIT], backward=params[_BACKWARD])
            return json_response(
                FoundConsoleLines(
                    total_lines=opened.total, lines=[_line(each) for each in found.lines], next_line=found.next_line
                )
            )

    return conditional_response(reader.runs.versions([run_id]), build)


@bp.get("/runs/<run_id:run_id>/console/file")
@Operation(answer=None, errors=_ERRORS, other_formats={"text/plain": "All lines."})
def file(params: Params, run_id: str) -> Response:
    """The whole console as a text file, without colours."""
    reader = current_reader()
    name = reader.runs.get(run_id).name

    def pieces() -> Iterator[bytes]:
        with open_console(reader, run_id) as opened:
            yield from opened.pieces()

    answer = Response(pieces(), content_type="text/plain; charset=utf-8")
    answer.headers["Content-Disposition"] = f'attachment; filename="{attachment_name(name, "console")}.txt"'
    answer.headers["X-Content-Type-Options"] = "nosniff"
    return answer


def _line(line: items.ConsoleLine) -> ConsoleLine:
    return ConsoleLine(number=line.number, text=line.text, level=line.level, time=line.time)
