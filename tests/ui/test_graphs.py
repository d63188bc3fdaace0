"""Each control of the graph page in a real browser, on graphs of our own writers and of every framework."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from mindinsight_like import SummaryRecord, SummaryWriter
from mindinsight_like.demo.content.graphs import mindspore_graph, onnx_model
from mindinsight_like.store.database.location import run_id
from mindinsight_like.writers.encoding import graph_def, tensorboard
from mindinsight_like.writers.files.record_file import RecordFile
from tests.ui.conftest import BEGIN, Board, served, wait_in_page, watched_page
from tests.ui.graph_pages import dashed, drawn, place_of, row, svg, texts, view_of

SHAPE = [32, 10]


def network() -> Iterator[bytes]:
    """An input, two layers below `net`, five updates that repeat each other, and a control edge."""
    yield graph_def.node("x", "Placeholder", [], shape=[32, 64])
    yield graph_def.node("net/fc1/weight", "VariableV2", [])
    yield graph_def.node("net/fc1/MatMul", "MatMul", ["x", "net/fc1/weight"], shape=SHAPE, attributes="transpose_b")
    yield graph_def.node("net/fc2/Relu", "Relu", ["net/fc1/MatMul"], shape=SHAPE)
    yield graph_def.node("net/fc2/Softmax", "Softmax", ["net/fc2/Relu"], shape=SHAPE)
    for number in range(5):
        yield graph_def.node(f"train/update{number}", "ApplyMomentum", ["net/fc2/Softmax"])
    yield graph_def.node("done", "NoOp", ["net/fc2/Softmax", "^train/update0"])


def write_graph(path: Path, nodes: Iterator[bytes]) -> None:
    with RecordFile(path, frame=tensorboard.frame) as log:
        log.write(tensorboard.opening(BEGIN))
        log.write(tensorboard.graph(graph_def.graph(nodes), wall_time=BEGIN))


def crowd(count: int) -> Iterator[bytes]:
    """A scope of nodes that are all unlike each other, and one node that follows them."""
    for number in range(count):
        yield graph_def.node(f"crowd/node{number:04d}", f"Type{number}", [])
    yield graph_def.node("after", "Sum", ["crowd/node0000"])


def deep(count: int) -> Iterator[bytes]:
    for number in range(count):
        before = [f"model/block{(number - 1) // 1000}/layer{(number - 1) // 50}/op{number - 1}"] if number else []
        name = f"model/block{number // 1000}/layer{number // 50}/op{number}"
        yield graph_def.node(name, ("Conv", "Relu", "Add")[number % 3], before)


@pytest.fixture(scope="module")
def graphs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    base_dir = tmp_path_factory.mktemp("graphs") / "runs"
    write_graph(base_dir / "torch" / "events.out.tfevents.1760000000.tests.1.0", network())
    sizes = {"hidden": 8, "classes": 3, "batch": 16}
    (base_dir / "torch" / "model.onnx").write_bytes(onnx_model(**sizes))
    (base_dir / "torch" / "torn.onnx").write_bytes(onnx_model(**sizes)[:-40])
    with SummaryRecord(str(base_dir / "mindspore")) as record:
        record.add_value("graph", "graph", mindspore_graph(**sizes))
        record.record(1)
    write_graph(base_dir / "crowd" / "events.out.tfevents.1760000000.tests.2.0", crowd(1000))
    with SummaryWriter(str(base_dir / "plain")) as writer:
        writer.add_scalar("loss", 1.0, 0)
    with served(base_dir) as board:
        yield board


@pytest.fixture
def page(browser: Browser, graphs: Board) -> Iterator[Page]:
    yield from watched_page(browser, graphs)


def open_graph(page: Page, run: str = "torch", more: str = "") -> None:
    page.goto(f"/runs/{run_id(run)}/graphs{more}")
    drawn(page)


def opened(page: Page) -> list[str]:
    return re.findall(r"open=([^&#]+)", page.url)


def test_the_rail_leads_to_it_only_where_there_are_graphs(page: Page) -> None:
    page.goto(f"/runs/{run_id('torch')}")
    page.get_by_test_id("nav-run-graphs").click()
    drawn(page)
    expect(page.get_by_test_id("graph-totals")).to_have_text(re.compile(r"11 nodes, 11 edges"))

    page.goto(f"/runs/{run_id('plain')}")
    expect(page.get_by_test_id("nav-run-scalars")).to_be_visible()
    expect(page.get_by_test_id("nav-run-graphs")).to_have_count(0)

    page.goto(f"/runs/{run_id('plain')}/graphs")
    expect(page.get_by_test_id("state-empty")).to_contain_text("add_graph")


def test_the_page_of_all_runs_lets_choose_one(page: Page) -> None:
    page.goto("/graphs")
    drawn(page)
    page.get_by_test_id("run-choice").click()
    expect(page.get_by_test_id("run-option")).to_have_count(3)
    page.get_by_test_id("run-choice-filter").fill("mind")
    page.get_by_test_id("run-option").click()

    drawn(page)
    expect(page).to_have_url(re.compile(f"run={run_id('mindspore')}"))
    expect(row(page, "Default")).to_be_visible()


def test_a_scope_opens_and_closes_in_its_place(page: Page) -> None:
    open_graph(page)
    expect(row(page, "net/fc1")).to_have_count(0)

    page.mouse.dblclick(*place_of(page, "net"))
    expect(row(page, "net/fc1")).to_be_visible()
    assert opened(page) == ["net"]

    page.mouse.dblclick(*place_of(page, "net"))
    expect(row(page, "net/fc1")).to_have_count(0)


def test_enter_plus_and_minus_open_and_close_the_chosen_scope(page: Page) -> None:
    open_graph(page)
    row(page, "net").get_by_role("button").last.click()
    stage = page.get_by_test_id("graph-stage")
    expand = row(page, "net")

    stage.press("Enter")
    expect(expand).to_have_attribute("aria-expanded", "true")
    stage.press("-")
    expect(expand).to_have_attribute("aria-expanded", "false")
    stage.press("+")
    expect(expand).to_have_attribute("aria-expanded", "true")
    page.get_by_test_id("close-all").click()
    expect(expand).to_have_attribute("aria-expanded", "false")


def test_back_closes_what_was_opened(page: Page) -> None:
    open_graph(page)
    row(page, "net").get_by_test_id("outline-fold").click()
    expect(row(page, "net/fc1")).to_be_visible()
    expect(page).to_have_url(re.compile("open=net.*at="))
    wait_in_page(page, 500)  # a view that is still being written to the address would win

    page.go_back()

    expect(row(page, "net/fc1")).to_have_count(0)


def test_search_opens_the_scopes_around_a_node_and_chooses_it(page: Page) -> None:
    open_graph(page)
    page.get_by_test_id("graph-search").fill("softmax")
    expect(page.get_by_test_id("graph-match").first).to_contain_text("net/fc2/Softmax")
    page.get_by_test_id("graph-search").press("Enter")

    expect(page.get_by_test_id("node-name")).to_have_text("net/fc2/Softmax")
    expect(row(page, "net/fc2/Softmax")).to_have_attribute("aria-selected", "true")
    assert opened(page) == ["net", "net/fc2"]
    expect(page).to_have_url(re.compile("node=net/fc2/Softmax"))
    expect(page.get_by_test_id("graph-announcement")).to_contain_text("Softmax")

    page.get_by_test_id("graph-search").fill("no such node")
    expect(page.get_by_test_id("no-matches")).to_be_visible()


def test_search_finds_types_and_members_of_repeats(page: Page) -> None:
    open_graph(page)
    page.get_by_test_id("graph-search").fill("ApplyMomentum")
    expect(page.get_by_test_id("match-count")).to_have_text("5 matches")
    page.get_by_test_id("graph-match").nth(3).click()

    expect(page.get_by_test_id("node-name")).to_have_text("train/update3")
    expect(row(page, "train/update3")).to_be_visible()


def test_the_panel_tells_what_a_node_is_and_leads_on(page: Page) -> None:
    open_graph(page, more="?node=net/fc1/MatMul&open=net&open=net/fc1")

    expect(page.get_by_test_id("node-name")).to_have_text("net/fc1/MatMul")
    expect(page.get_by_test_id("node-kind")).to_have_text("Operator")
    expect(page.get_by_test_id("node-type")).to_have_text("MatMul")
    expect(page.get_by_test_id("node-tensor")).to_contain_text("[32, 10]")
    expect(page.get_by_test_id("node-attributes")).to_contain_text("transpose_b")
    ends = page.get_by_test_id("node-inputs").get_by_test_id("node-end")
    assert ends.all_inner_texts() == ["x", "net/fc1/weight"]
    expect(page.get_by_test_id("node-outputs")).to_contain_text("net/fc2/Relu")

    page.get_by_test_id("node-outputs").get_by_test_id("node-end").click()

    expect(page.get_by_test_id("node-name")).to_have_text("net/fc2/Relu")
    expect(row(page, "net/fc2/Relu")).to_be_visible()


def test_control_is_dashed_and_repeats_are_counted(page: Page) -> None:
    open_graph(page)
    assert dashed(svg(page), "5 4") == 1

    open_graph(page, more="?open=train")
    root = svg(page)

    assert dashed(root, "5 4") == 2  # from the repeat to the edge of its scope, and from there on
    assert "×5" in texts(root)
    assert "ApplyMomentum" in texts(root)
    assert "update3" not in texts(root)

    page.get_by_test_id("tab-outline").click()
    page.get_by_test_id("outline-row").filter(has_text="ApplyMomentum").get_by_test_id("outline-fold").click()
    expect(row(page, "train/update3")).to_be_visible()


def test_parameters_stand_beside_their_consumer_or_alone_or_nowhere(page: Page) -> None:
    open_graph(page, more="?open=net&open=net/fc1")
    assert "weight" in texts(svg(page))
    expect(row(page, "net/fc1/weight")).to_have_count(0)

    page.get_by_test_id("aux-nodes").click()
    expect(row(page, "net/fc1/weight")).to_be_visible()

    page.get_by_test_id("aux-hidden").click()
    expect(row(page, "net/fc1/weight")).to_have_count(0)
    assert "weight" not in texts(svg(page))
    expect(page).to_have_url(re.compile("aux=hidden"))


def test_arrow_keys_follow_the_wires(page: Page) -> None:
    open_graph(page, more="?open=net&open=net/fc2&node=net/fc2/Relu")
    stage = page.get_by_test_id("graph-stage")
    stage.press("ArrowDown")
    expect(page).to_have_url(re.compile("node=net/fc2/Softmax"))
    stage.press("ArrowUp")
    expect(page).to_have_url(re.compile("node=net/fc2/Relu"))
    stage.press("Escape")
    expect(page).not_to_have_url(re.compile("node="))


def test_the_view_moves_and_zooms_and_is_part_of_the_address(
    page: Page, eventually: Callable[[Callable[[], bool]], None]
) -> None:
    open_graph(page, more="?open=net")
    page.get_by_test_id("fit-all").click()
    expect(page).to_have_url(re.compile("at="))
    before = view_of(page)
    box = page.get_by_test_id("graph-stage").bounding_box()
    assert box is not None
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] - 30
    page.mouse.move(*middle)
    page.mouse.down()
    page.mouse.move(middle[0] + 100, middle[1] - 50, steps=4)
    page.mouse.up()
    eventually(lambda: view_of(page)[:2] != before[:2])
    x, y, scale = view_of(page)
    assert x == pytest.approx(before[0] - 100 / scale, abs=2)
    assert y == pytest.approx(before[1] + 50 / scale, abs=2)

    page.mouse.wheel(0, -300)
    eventually(lambda: view_of(page)[2] > scale)
    kept = view_of(page)
    page.reload()
    drawn(page)
    assert view_of(page) == kept
    expect(row(page, "net/fc1")).to_be_visible()


def test_the_small_map_moves_the_view(page: Page, eventually: Callable[[Callable[[], bool]], None]) -> None:
    open_graph(page, more="?open=net&open=net/fc1&open=net/fc2")
    for _ in range(4):
        page.get_by_test_id("zoom-in").click()
    expect(page).to_have_url(re.compile("at="))
    before = view_of(page)
    page.get_by_test_id("mini-map").locator("canvas").click(position={"x": 3, "y": 3})

    eventually(lambda: view_of(page)[1] < before[1])
    assert view_of(page)[2] == before[2]


def test_another_file_is_another_graph(page: Page) -> None:
    open_graph(page)
    choice = page.get_by_test_id("graph-choice")
    assert choice.locator("option").all_inner_texts() == [
        "events.out.tfevents.1760000000.tests.1.0",
        "model.onnx",
        "torn.onnx",
    ]

    choice.select_option("model.onnx")

    expect(row(page, "MatMul_0")).to_be_visible()
    expect(page).to_have_url(re.compile("graph=model.onnx"))


def test_a_damaged_graph_says_so_and_hurts_no_other(page: Page) -> None:
    page.goto(f"/runs/{run_id('torch')}/graphs?graph=torn.onnx")
    expect(page.get_by_test_id("state-failed")).to_contain_text("Cannot read this graph")

    page.get_by_test_id("graph-choice").select_option("model.onnx")
    drawn(page)


def test_a_crowded_scope_shows_its_beginning_and_more_when_asked(page: Page) -> None:
    open_graph(page, "crowd", "?open=crowd")
    stage = page.get_by_test_id("graph-stage")
    assert int(stage.get_attribute("data-boxes") or 0) < 500
    root = svg(page)
    assert "+ 600" in texts(root)

    more = page.get_by_test_id("outline-row").filter(has_text="Show more")
    page.get_by_test_id("tab-outline").click()
    page.get_by_test_id("graph-outline").locator(".virtual").evaluate("list => list.scrollTop = 1e6")
    more.get_by_role("button").click()
    expect(stage).to_have_attribute("data-boxes", re.compile(r"^80\d"))

    page.get_by_test_id("graph-search").fill("node0999")
    page.get_by_test_id("graph-search").press("Enter")
    expect(page.get_by_test_id("node-name")).to_have_text("crowd/node0999")
    expect(stage).to_have_attribute("data-boxes", re.compile(r"^100\d"))


def test_a_hundred_thousand_nodes_are_drawn_soon(page: Page, graphs: Board) -> None:
    write_graph(graphs.base_dir / "deep" / "events.out.tfevents.1760000000.tests.3.0", deep(100_000))
    page.goto(f"/runs/{run_id('deep')}")
    expect(page.get_by_test_id("nav-run-graphs")).to_be_visible(timeout=60_000)

    began = time.monotonic()
    open_graph(page, "deep")
    took = time.monotonic() - began
    expect(page.get_by_test_id("graph-totals")).to_contain_text(re.compile("100.000 nodes"))
    assert took < 30  # promised are 3 s, on a machine that does nothing else


def test_a_graph_that_arrives_is_offered_and_takes_no_place(page: Page, graphs: Board) -> None:
    write_graph(graphs.base_dir / "late" / "events.out.tfevents.1760000000.tests.7.0", network())
    page.goto("/graphs")
    page.get_by_test_id("run-choice").click()
    expect(page.get_by_test_id("run-option").filter(has_text="late")).to_be_visible()
    page.get_by_test_id("run-option").filter(has_text="late").click()
    expect(row(page, "net")).to_be_visible()

    (graphs.base_dir / "late" / "a.onnx").write_bytes(onnx_model(hidden=4, classes=2, batch=1))

    expect(page.get_by_test_id("graph-choice").locator("option")).to_have_count(2)
    expect(row(page, "net")).to_be_visible()


def test_downloads_and_full_screen(page: Page) -> None:
    open_graph(page)
    page.get_by_test_id("graph-download").click()
    with page.expect_download() as download:
        page.get_by_test_id("graph-png").click()
    assert download.value.path().read_bytes().startswith(b"\x89PNG")

    page.get_by_test_id("graph-full").click()
    expect(page).to_have_url(re.compile("full=1"))
    page.get_by_test_id("graph-board").evaluate("board => board.getBoundingClientRect().top")
    page.keyboard.press("Escape")
    expect(page).not_to_have_url(re.compile("full=1"))


def test_the_legend_names_shapes_lines_and_types(page: Page) -> None:
    open_graph(page, more="?lang=zh")
    page.get_by_test_id("legend-toggle").click()

    for word in ("命名空间", "算子", "控制边", "数据边", "ApplyMomentum"):
        expect(page.get_by_test_id("legend")).to_contain_text(word)


@pytest.fixture(scope="module")
def corpus_graphs(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    base_dir = tmp_path_factory.mktemp("corpus") / "runs"
    base_dir.symlink_to(corpus, target_is_directory=True)
    with served(base_dir) as board:
        yield board


def test_the_graphs_of_every_framework_are_drawn_with_their_scopes(browser: Browser, corpus_graphs: Board) -> None:
    """Three of each, since drawing takes a second; tests/boards opens every one of them to its last node."""
    for page in watched_page(browser, corpus_graphs):
        runs: list[dict[str, Any]] = page.request.get("/v1/runs?limit=500").json()["runs"]
        seen: Counter[str] = Counter()
        for run in runs:
            if not run["counts"].get("graphs"):
                continue
            for graph in page.request.get(f"/v1/graphs?run={run['id']}").json()["graphs"]:
                seen[graph["source"]] += 1
                if seen[graph["source"]] > 3:
                    continue
                where = {"run": run["id"], "graph": graph["graph"]}
                answer = page.request.get("/v1/graphs/nodes", params=where)
                page.goto(f"/runs/{run['id']}/graphs?graph={graph['graph']}")
                if not answer.ok:
                    expect(page.get_by_test_id("state-failed")).to_be_visible()
                    continue
                level = answer.json()
                stage = drawn(page)
                assert int(stage.get_attribute("data-boxes") or 0) >= min(1, level["total"])
                for node in level["nodes"][:3]:
                    if node["kind"] in ("scope", "aggregate"):
                        if row(page, node["name"]).get_attribute("aria-expanded") == "false":
                            row(page, node["name"]).get_by_test_id("outline-fold").click()
                        expect(row(page, node["name"])).to_have_attribute("aria-expanded", "true")
        assert set(seen) >= {"mindspore", "tensorboard", "visualdl", "paddle", "onnx"}
