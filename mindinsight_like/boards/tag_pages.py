"""Pagination of tags: request parameters, and the part of a response that leads to the next page."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from mindinsight_like.http.parameters import text, whole, words
from mindinsight_like.http.response_types import Count, response_type
from mindinsight_like.store.result_types import TagPage

MOST_TAGS = 5000  # of one kind in an answer, unless asked for otherwise

SEARCH = words("search", "Only tags that contain every one of these words, ignoring case.")
AFTER = text("after", "Only tags after this one; see `after` of the previous page.")
LIMIT = whole(
    "limit", "Maximum number of tags of each kind.", default=MOST_TAGS, lowest=1,
    highest=100_000,
)  # fmt: skip


@response_type
class MoreTags:
    """Number of tags, and where the next page starts."""

    total: Count
    after: Annotated[str, Meta(description="Value of the parameter `after` for the next page.")]


def more_tags(page: TagPage[Any]) -> MoreTags | None:
    """What to say of a page that is not the last one."""
    return None if page.after is None else MoreTags(total=page.total, after=page.after)
