"""The description of the interface: complete, valid, and true of real answers."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys

import jsonschema
import numpy as np
import openapi_spec_validator
import pytest

from mindinsight_like.boards import runs
from mindinsight_like.store.names import SHOWN_KINDS
from mindinsight_like.writers.encoding import mindspore, tensorboard, visualdl
from mindinsight_like.writers.encoding.audio import wav
from mindinsight_like.writers.encoding.chart_layout import chart_layout
from mindinsight_like.writers.encoding.images import png
from mindinsight_like.writers.encoding.meshes import mesh, mesh_parts

KINDS = (
    "images", "video", "histograms", "texts", "audio", "tensors", "pr-curves", "roc-curves", "embeddings", "meshes",
    "landscapes",
)  # fmt: skip


@pytest.fixture
def described(board):
    board.log("a", "loss", [1.0, math.nan, math.inf, 0.25])
    board.log("b", "loss", [math.nan])
    picture = png(np.zeros((3, 4, 3), np.uint8))
    board.log_values(
        "a",
        tensorboard.image("images", picture, width=4, height=3),
        tensorboard.image("video", b"GIF89a" + bytes(10), width=0, height=0),
        tensorboard.histogram("histograms", [0.0, 1.0], [3], total=1.0, sum_squares=1.0),
        tensorboard.strings("texts", [b"x"], shape=(), plugin="text"),
        tensorboard.audio("audio", wav(np.zeros((5, 1), np.int16), sample_rate=8000)),
        tensorboard.tensor("tensors", np.array([1.0, np.nan]), plugin="other"),
        tensorboard.tensor("pr-curves", np.ones((6, 3)), plugin="pr_curves"),
        *mesh("mesh", mesh_parts(np.zeros((1, 4, 3)), None, None), None),
        chart_layout({"all": {"one": ["Multiline", ["a", "b"]], "two": ["Margin", ["a", "b", "c"]]}}),
    )
    surface = {"x": [0, 1], "y": [0, 1, 2], "z": np.array([[0, 1], [2, np.nan], [4, 5]])}
    other = {"path": ([0, 1], [0, 1], [0, 1]), "intervals": [1, 2], "convergence_point": (0, 0, 1)}
    board.log_records(
        "b/" + mindspore.file_name(1.75e9, host="h"),
        *(
            mindspore.frame(mindspore.event([value], step=step, wall_time=1.75e9))
            for step, value in enumerate(
                (
                    mindspore.landscape("landscapes", mindspore.loss_landscape(surface)),
                    mindspore.landscape("landscapes", mindspore.loss_landscape(surface | other)),
                    mindspore.landscape("landscapes", b""),
                )
            )
        ),
    )
    board.log_records(
        "b/" + visualdl.file_name(1.75e9),
        *(
            visualdl.frame(visualdl.record(tag, content, step=step, wall_time=1.75e9))
            for step, (tag, content) in enumerate(
                (
                    ("roc-curves", visualdl.roc_curve([[1, 0]] * 4, [1, 0], [1, 0])),
                    ("roc-curves", visualdl.roc_curve([[1], [1], [1], []], [1], [1])),
                    ("embeddings", visualdl.embeddings([bytes(8)], [["a", "b"]], ["one", "two"])),
                    ("embeddings", visualdl.embeddings([], [], [])),
                )
            )
        ),
    )
    board.log_values(
        "a",
        tensorboard.image("images", b"no picture", width=4, height=3),
        tensorboard.tensor("histograms", np.zeros((3, 2)), plugin="histograms"),
        tensorboard.tensor("texts", np.zeros(3), plugin="text"),
        tensorboard.strings("audio", [b"", b""], shape=(1, 2), plugin="audio"),
        tensorboard.strings("tensors", [b"", b""], shape=(1, 2), plugin="other"),
        tensorboard.tensor("pr-curves", np.ones((5, 3)), plugin="pr_curves"),
        step=1,
    )
    board.load()
    return board, board.get("openapi.json")


def test_the_description_is_valid_openapi(described):
    _, description = described

    openapi_spec_validator.validate(description)


def test_every_route_is_described(described):
    board, description = described
    routes = {
        (re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule), method.lower())
        for rule in board.client.application.url_map.iter_rules()
        if rule.rule.startswith("/v1/")
        for method in rule.methods - {"HEAD", "OPTIONS"}
    }

    assert {(path, method) for path, methods in description["paths"].items() for method in methods} == routes


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/v1/service", ""),
        ("/v1/changes", "since=0"),
        ("/v1/runs", ""),
        ("/v1/runs/{run_id}", ""),
        ("/v1/runs/{run_id}/tags", ""),
        ("/v1/scalars", "run={a}&run={b}&tag=loss&smoothing=0.5"),
        ("/v1/scalars/tags", "run={a}&run={b}"),
        ("/v1/openapi.json", ""),
        ("/v1/custom-scalars", "run={a}&run={b}"),
        ("/v1/steps", "kind=images&run={a}&run={b}&tag=images"),
        *((f"/v1/{kind}", f"run={{a}}&run={{b}}&tag={kind}&tag=mesh_VERTEX") for kind in KINDS),
    ],
)
def test_real_answers_are_as_described(described, path, query):
    board, description = described
    ids = {"a": board.id_of("a"), "b": board.id_of("b")}

    answer = board.client.get(path.format(run_id=ids["a"]) + "?" + query.format(**ids))
    response = description["paths"][path]["get"]["responses"]["200"]

    schema = response["content"]["application/json"]["schema"] | {"components": description["components"]}
    jsonschema.Draft202012Validator(closed(schema)).validate(answer.get_json())
    assert answer.get_json().get("series", True), "nothing was compared"


@pytest.mark.parametrize(("path", "status"), [("/v1/runs?limit=x", "400"), ("/v1/runs/gone", "404")])
def test_real_errors_are_as_described(described, path, status):
    board, description = described
    route = "/v1/runs" if "?" in path else "/v1/runs/{run_id}"

    answer = board.client.get(path)

    assert status in description["paths"][route]["get"]["responses"]
    schema = {"$ref": "#/components/schemas/Error", "components": description["components"]}
    jsonschema.validate(answer.get_json(), schema)


def test_every_parameter_says_what_it_is_for(described):
    _, description = described

    for methods in description["paths"].values():
        for operation in methods.values():
            assert operation["summary"]
            for parameter in operation["parameters"]:
                assert parameter["in"] == "path" or parameter["description"]


def test_components_are_named_by_unique_classes(described):
    _, description = described

    for name, component in description["components"]["schemas"].items():
        assert component["title"] == name, "two response types have the same name"
        assert re.fullmatch(r"([A-Z][a-z0-9]*)+", name)


ANY_JSON = {
    "ErrorDetail.details",
    "LineageNode.details",
    "MemoryUsage.facts",
    "ProfileSummary.facts",
    "RunLineage.parts",
    "RunLineage.pipeline",
    "RunLineage.inputs",
    "RunLineage.outputs",
    "RunLineage.code",
    "RunLineage.environment",
    "RunLineage.domains",
    "TimelineSlice.arguments",
}
"""Fields that hold what others have written, whatever it is."""


def test_every_object_says_what_is_in_it(described):
    _, description = described
    fields = {
        f"{name}.{field}": schema
        for name, component in description["components"]["schemas"].items()
        for field, schema in component["properties"].items()
        if name != "OpenApiDocument"
    }

    assert {field for field, schema in fields.items() if holds_any_object(schema)} == ANY_JSON


def holds_any_object(schema):
    if isinstance(schema, list):
        return any(map(holds_any_object, schema))
    if not isinstance(schema, dict):
        return False
    is_open = schema.get("type") == "object" and schema.get("additionalProperties", True) is True
    return is_open or any(map(holds_any_object, schema.values()))


def test_the_tags_of_a_run_are_those_of_the_kinds_that_are_shown():
    assert set(runs.RunTags.__annotations__) - {"more"} == set(SHOWN_KINDS.values())


def test_it_can_be_printed_without_a_service(described):
    _, description = described

    printed = subprocess.run(
        [sys.executable, "-m", "mindinsight_like.app.openapi"], capture_output=True, check=True, timeout=60
    )

    assert json.loads(printed.stdout) == description


def closed(schema):
    """The schema with no room for fields it does not name, so that undescribed ones are found."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {name: closed(value) for name, value in schema.items()}
    return inner | ({"additionalProperties": False} if isinstance(schema.get("properties"), dict) else {})
