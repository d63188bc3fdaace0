"""Shared parameters and response format of the routes of images, histograms, texts and the like."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, Generic, TypeVar

from flask.wrappers import Response
from msgspec import Meta
from typing_extensions import NotRequired, TypedDict

from mindinsight_like.errors import RunNotFound, ServiceError, StillLoading
from mindinsight_like.http.app_state import current_state
from mindinsight_like.http.index_access import current_reader
from mindinsight_like.http.operations import Operation
from mindinsight_like.http.parameters import Parameter, Params, Repeated, choice, whole
from mindinsight_like.http.response_types import PartialResponse, RunId, Superseded
from mindinsight_like.http.responses import conditional_response, partial_response
from mindinsight_like.items.series import Item, ItemKind, read_items
from mindinsight_like.store.intact import read_intact
from mindinsight_like.tables.json_numbers import JsonNumber, number

T = TypeVar("T")

RUN = Repeated("run", "ID of a run.", required=True)
TAG = Repeated("tag", "Name of a tag; a run without it has no series in the response.", required=True)
FROM_STEP = whole("from_step", "First step.", default=None)
TO_STEP = whole("to_step", "Last step.", default=None)
MAX_STEPS = whole(
    "max_steps",
    "Maximum number of steps per series, evenly spaced, first and last included; all by default.",
    default=None,
    lowest=1,
)
RESUME = choice(
    "resume",
    "`latest`: the newest value of each step, without what a restart took back (TensorBoard's `purge_step`). "
    "`all`: every value in the order of writing.",
    ("latest", "all"),
    default="latest",
)
PARAMETERS: tuple[Parameter[Any], ...] = (RUN, TAG, FROM_STEP, TO_STEP, MAX_STEPS, RESUME)
ERRORS: tuple[type[ServiceError], ...] = (RunNotFound, StillLoading)

ItemIndex = Annotated[int, Meta(ge=0, description="Position among the values of the same step; usually 0.")]
FileUrl = Annotated[str | None, Meta(description="Address of the file, below this service.")]


class LoggedItem(TypedDict):
    """A value at one step; its other fields are null if there is an error."""

    step: int
    wall_time: JsonNumber
    error: NotRequired[Annotated[str, Meta(description="Why the value cannot be shown; absent otherwise.")]]


class ItemSeries(TypedDict):
    """The values of one tag of one run."""

    run: RunId
    tag: str
    source: Annotated[str, Meta(description="Distinguishes several series of one run and tag; usually empty.")]
    total_steps: Annotated[int, Meta(ge=0, description="Number of values between `from_step` and `to_step`.")]
    superseded: Superseded


I = TypeVar("I", bound=LoggedItem)  # noqa: E741 - an item of a response


class _SeriesOf(ItemSeries, Generic[I]):
    items: list[I]


class _SeriesListOf(PartialResponse, Generic[I]):
    series: list[_SeriesOf[I]]


def item_operation(answer: Any) -> Operation:
    """The description of a route that takes only the parameters all items have."""
    return Operation(answer=answer, parameters=PARAMETERS, errors=ERRORS)


def logged_item(item: Item[Any]) -> LoggedItem:
    """The fields that all items have."""
    fields: LoggedItem = {"step": item.step, "wall_time": number(item.wall_time)}
    if item.error is not None:
        fields["error"] = item.error
    return fields


def series_response(
    params: Params,
    kind: ItemKind[T],
    build_item: Callable[[Item[T]], I],
    *,
    is_wanted: Callable[[Item[T]], bool] = lambda item: True,
) -> Response:
    """The series that the parameters select, each with its items."""
    runs, reader = params[RUN], current_reader()
    tags = params[TAG] if kind.has_tags else None

    def build() -> Response:
        read = partial(
            read_items,
            reader,
            kind,
            tags=tags,
            from_step=params[FROM_STEP],
            to_step=params[TO_STEP],
            max_steps=params[MAX_STEPS],
            resume=params[RESUME],
        )
        result = read_intact(reader, runs, lambda intact: read(runs=intact))
        series: list[_SeriesOf[I]] = [
            {
                "run": each.run,
                "tag": each.tag,
                "source": each.source,
                "total_steps": each.total_steps,
                "superseded": each.superseded,
                "items": [build_item(item) for item in each.items if is_wanted(item)],
            }
            for each in result.answer
        ]
        body: _SeriesListOf[I] = {"series": series}
        return partial_response(body, result.rebuilding)

    return conditional_response(reader.runs.versions(runs), build)


def url_of(item: Item[T], *, part: int | None = None) -> str | None:
    """The address of the file in an item, or of another part of its record; None when it has none to show."""
    if item.value is None:
        return None
    reference = item.reference if part is None else item.reference._replace(part=part)
    return f"{current_state().prefix}/v1/blobs/{reference.token}"
