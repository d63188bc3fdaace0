"""The reference in docs/rest-api.md is that of the routes."""

from __future__ import annotations

from tests.docs.rest_reference import PAGE, printed_document, reference, with_reference


def test_the_reference_is_up_to_date() -> None:
    page = PAGE.read_text()

    assert with_reference(page, reference(printed_document())) == page, "run `make rest-reference`"


def test_lines_have_at_most_120_characters() -> None:
    lines = PAGE.read_text().splitlines()

    assert [line for line in lines if len(line) > 120 and not line.startswith("|")] == []
