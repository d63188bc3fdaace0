"""What the routes of images, histograms, texts and the like share: parameters, and the shape of their answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from flask import current_app
from flask.wrappers import Response

from mindinsight_like.errors import RunNotFound, ServiceError, StillLoading
from mindinsight_like.items import Item, ItemKind, read_items
from mindinsight_like.web.answers import json_answer, unless_known
from mindinsight_like.web.numbers import number
from mindinsight_like.web.operations import Operation
from mindinsight_like.web.parameters import Given, Parameter, Repeated, choice, whole
from mindinsight_like.web.schemas import (
    COUNT,
    NUMBER,
    STRING,
    WHOLE,
    Schema,
    listed,
    or_null,
    record,
    with_optional,
)
from mindinsight_like.web.source import current_reader

T = TypeVar("T")

RUN = Repeated("run", "Id of a run.", required=True)
TAG = Repeated("tag", "Name of a tag; a run without it has no series in the answer.", required=True)
FROM_STEP = whole("from_step", "First step to answer with.", default=None)
TO_STEP = whole("to_step", "Last step to answer with.", default=None)
MAX_STEPS = whole(
    "max_steps",
    "At most so many steps per series, evenly chosen, the first and the last among them; all by default.",
    default=None,
    lowest=1,
)
RESUME = choice(
    "resume",
    "`latest`: where a run was resumed from an earlier step, newer values replace older ones. `all`: every value.",
    ("latest", "all"),
    default="latest",
)
PARAMETERS: tuple[Parameter[Any], ...] = (RUN, TAG, FROM_STEP, TO_STEP, MAX_STEPS, RESUME)
ERRORS: tuple[type[ServiceError], ...] = (RunNotFound, StillLoading)

INDEX = COUNT | {"description": "Place among the values of the same step; mostly 0."}
URL = or_null(STRING) | {"description": "Address of the file, below this service."}


def series_of(**fields: Schema) -> Schema:
    """What a route answers whose items have these fields."""
    item = with_optional(
        record(step=WHOLE, wall_time=NUMBER, **fields),
        error=STRING | {"description": "Why the value cannot be shown; its other fields are then null."},
    )
    series = record(
        run=STRING,
        tag=STRING,
        source=STRING | {"description": "Tells apart several series of one run and tag; usually empty."},
        total_steps=COUNT | {"description": "How many steps there are between from_step and to_step."},
        items=listed(item),
    )
    return record(series=listed(series))


def operation(**fields: Schema) -> Operation:
    """The description of a route whose items have these fields."""
    return Operation(answer=series_of(**fields), parameters=PARAMETERS, errors=ERRORS)


def series_answer(
    given: Given,
    kind: ItemKind[T],
    fields: Callable[[Item[T]], Mapping[str, object]],
    *,
    is_wanted: Callable[[Item[T]], bool] = lambda item: True,
) -> Response:
    """The asked series; `fields` gives what an item has besides step, wall time and error."""
    runs, reader = given[RUN], current_reader()
    tags = given[TAG] if kind.has_tags else None

    def item_json(item: Item[T]) -> dict[str, object]:
        common = {"step": item.step, "wall_time": number(item.wall_time), **fields(item)}
        return common if item.error is None else common | {"error": item.error}

    def build() -> Response:
        found = read_items(
            reader,
            kind,
            runs,
            tags,
            from_step=given[FROM_STEP],
            to_step=given[TO_STEP],
            max_steps=given[MAX_STEPS],
            resume=given[RESUME],
        )
        series = [
            {
                "run": each.run,
                "tag": each.tag,
                "source": each.source,
                "total_steps": each.total_steps,
                "items": [item_json(item) for item in each.items if is_wanted(item)],
            }
            for each in found
        ]
        return json_answer({"series": series})

    return unless_known(reader.versions(runs), build)


def url_of(item: Item[T], *, part: int | None = None) -> str | None:
    """The address of the file in an item, or of another part of its record; None when it has none to show."""
    if item.value is None:
        return None
    reference = item.reference if part is None else item.reference._replace(part=part)
    return f"{current_app.extensions['prefix']}/v1/blobs/{reference.token}"
