"""The TypeScript types of the page are those of the routes, so a field renamed on one side only fails a check.

A field renamed in Python makes `ui/generated/rest.d.ts` stale, which is tested here. Once that is renewed, vue-tsc
refuses every use of the old name in the page (`make test-ui`).
"""

from __future__ import annotations

import copy
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.docs.rest_reference import printed_document

UI = Path(__file__).parents[2] / "ui"
TYPES = UI / "generated" / "rest.d.ts"

pytestmark = [
    pytest.mark.skipif(shutil.which("node") is None, reason="Node is missing"),
    pytest.mark.skipif(not (UI / "node_modules/openapi-typescript").is_dir(), reason="ui/node_modules is missing"),
]


def _types(document: dict[str, Any]) -> str:
    command = ["node", str(UI / "scripts/rest-types.mjs"), "--print"]
    return subprocess.run(command, input=json.dumps(document), capture_output=True, text=True, check=True).stdout


def test_the_types_of_the_page_are_up_to_date() -> None:
    assert TYPES.read_text() == _types(printed_document()), "run `make rest-reference`"


def test_a_renamed_field_changes_the_types() -> None:
    document = copy.deepcopy(printed_document())
    properties = document["components"]["schemas"]["Run"]["properties"]
    properties["title"] = properties.pop("display_name")

    assert TYPES.read_text() != _types(document)
