"""Each control of the text board in a real browser, and texts that mean harm."""

from __future__ import annotations

import json
import re
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Dialog, Locator, Page, Request, expect

from mindinsight_like import LogWriter, SummaryWriter
from mindinsight_like.store.database.location import run_id
from mindinsight_like.writers.encoding import tensorboard
from mindinsight_like.writers.files.record_file import RecordFile
from tests.ui.conftest import BEGIN, Board, served, wait_in_page

STEPS = {"one": range(0, 50, 10), "two": range(0, 50, 25)}
LONG = "".join(f"**line** {number:06d} of a long text\n\n" for number in range(30_000))
HOSTILE = {
    "script": "<script>document.title = 'taken'</script>",
    "event": "<img src=x onerror=\"document.title='taken'\"> <b onmouseover=\"document.title='taken'\">b</b>",
    "address": "[link](javascript:document.title='taken') <a href=\"javascript:document.title='taken'\">a</a>",
    "drawing": "<svg onload=\"document.title='taken'\"><script>document.title='taken'</script></svg>",
    "style": "<style>* { display: none }</style><p style='position:fixed;inset:0'>x</p>",
    "remote": "![far](http://127.0.0.1:9/far.png) <img src='http://127.0.0.1:9/far.png'> ![near](/v1/service)",
    "frame": "<iframe src='http://127.0.0.1:9/'></iframe><object data=x></object><form action=x><input></form>",
    "nesting": "> " * 3000 + "<div>" * 3000 + "- " * 3000 + "[" * 3000,
    "names": "<div id='app' class='card full'>x</div><base href='http://127.0.0.1:9/'><meta http-equiv=refresh>",
}


def story(run: str, step: int) -> str:
    return (
        f"# Report of {run}\n\nThe **loss** is {step / 10:.1f} at step {step}.\n\n"
        "| metric | value |\n|---|--:|\n| 精度 | 0.5 |\n\n[paper](https://example.org/paper)\n"
        + ("\nAn outlier was seen.\n" if step == 0 else "")
    )


def write_texts(base_dir: Path) -> None:
    for run, steps in STEPS.items():
        with SummaryWriter(str(base_dir / run)) as writer:
            for step in steps:
                writer.add_text("notes/story", story(run, step), step)
    with LogWriter(str(base_dir / "paddle")) as log_writer:
        log_writer.add_text("notes/story", "written by VisualDL", 40)
    with SummaryWriter(str(base_dir / "long")) as writer:
        writer.add_text("long/markdown", LONG, 0)
        writer.add_text("long/medium", LONG[:100_000], 0)
        writer.add_text("long/line", "word " * 200_000, 0)
        for step in range(5000):
            writer.add_text("many/steps", f"this is step **{step}**", step)
        for tag in range(40):
            writer.add_text(f"other/tag{tag:02d}", "x", 0)
    with SummaryWriter(str(base_dir / "hostile")) as writer:
        for name, text in HOSTILE.items():
            writer.add_text(f"hostile/{name}", text, 0)
        writer.add_text("kind/arabic", "مرحبا بالعالم\n\nleft to right", 0)
    with SummaryWriter(str(base_dir / "plain")) as writer:
        writer.add_scalar("loss", 1.0, 0)
    with RecordFile(base_dir / "odd" / f"events.out.tfevents.{int(BEGIN)}.tests.5.0", frame=tensorboard.frame) as log:
        log.write(tensorboard.opening(BEGIN))
        cells = [f"**r{row}** c{column}".encode() for row in range(2) for column in range(3)]
        table = tensorboard.strings("odd/table", cells, shape=(2, 3), plugin="text")
        deep = tensorboard.strings("odd/deep", [b"%d" % cell for cell in range(8)], shape=(2, 2, 2), plugin="text")
        bad = tensorboard.strings("odd/bad", [b"x"], shape=(7,), plugin="text")
        log.write(tensorboard.event([table, deep, bad], step=1, wall_time=BEGIN))


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    """A service over runs with texts of every sort, and one without any."""
    base_dir = tmp_path_factory.mktemp("texts") / "runs"
    write_texts(base_dir)
    with served(base_dir) as board:
        yield board


def open_board(page: Page, board: Board, *names: str, more: str = "") -> None:
    page.goto(f"/texts?{board.runs(*names)}{more}")
    expect(page.get_by_test_id("text-card").first).to_be_visible()


def card(page: Page, tag: str) -> Locator:
    """The card of a tag, once its texts are known."""
    found = page.locator(f'[data-testid="text-card"][data-tag="{tag}"]')
    found.scroll_into_view_if_needed()
    expect(found).to_have_attribute("data-loaded", "true")
    return found


def tool(found: Locator, name: str) -> Locator:
    found.hover()
    return found.get_by_test_id(name).first


def test_markdown_is_drawn_and_can_be_read_raw(page: Page, board: Board) -> None:
    open_board(page, board, "one")
    found = card(page, "notes/story")

    expect(found.locator("h1")).to_have_text("Report of one")
    expect(found.locator("strong")).to_have_text("loss")
    expect(found.locator("td[align=right]")).to_have_text("0.5")
    link = found.get_by_role("link", name="paper")
    expect(link).to_have_attribute("target", "_blank")
    expect(link).to_have_attribute("rel", "noopener noreferrer")

    page.get_by_test_id("look-raw").click()
    expect(found.get_by_test_id("text-raw")).to_contain_text("The **loss** is 4.0 at step 40.")
    expect(page).to_have_url(re.compile(r"[?&]as=raw"))


def test_runs_stand_side_by_side_at_the_same_step(page: Page, board: Board) -> None:
    open_board(page, board, "one", "two")
    found = card(page, "notes/story")
    panes = found.get_by_test_id("text-pane")
    expect(panes).to_have_count(2)
    expect(panes.nth(0).locator("h1")).to_have_text("Report of one")
    expect(panes.nth(1).locator("h1")).to_have_text("Report of two")

    found.get_by_test_id("text-stage").focus()
    page.keyboard.press("Home")
    expect(panes.nth(1)).to_contain_text("at step 0.")
    page.keyboard.press("ArrowRight")
    expect(panes.nth(0)).to_contain_text("at step 10.")
    # The other run has nothing at that step, and says at which its text was logged.
    expect(panes.nth(1)).to_contain_text("at step 0.")
    expect(panes.nth(1).locator("figcaption")).to_contain_text("Step 0")
    expect(page).to_have_url(re.compile(r"[?&]step=10"))


def test_texts_of_two_writers_meet_in_one_card(page: Page, board: Board) -> None:
    open_board(page, board, "one", "paddle")
    panes = card(page, "notes/story").get_by_test_id("text-pane")

    expect(panes).to_have_count(2)
    expect(panes.nth(1)).to_contain_text("written by VisualDL")


def test_differences_from_another_step(page: Page, board: Board) -> None:
    open_board(page, board, "one", more="&as=diff&step=20")
    diff = card(page, "notes/story").get_by_test_id("text-diff")

    expect(diff.locator('[data-kind="gone"]')).to_have_text(re.compile(r"loss\*\* is 1.0 at step 10"))
    expect(diff.locator('[data-kind="new"]')).to_have_text(re.compile(r"loss\*\* is 2.0 at step 20"))
    expect(diff.locator('[data-kind="new"] mark').first).to_have_text("2")

    page.get_by_test_id("against").select_option("first")
    expect(diff.locator('[data-kind="gone"]').last).to_contain_text("outlier")
    page.get_by_test_id("against").select_option("step")
    page.get_by_test_id("against-step").fill("40")
    page.get_by_test_id("against-step").press("Enter")
    expect(diff.locator('[data-kind="gone"]')).to_contain_text("at step 40")
    expect(page).to_have_url(re.compile(r"[?&]against=40"))


def test_words_are_found_in_this_step_and_in_others(page: Page, board: Board) -> None:
    open_board(page, board, "one")
    found = card(page, "notes/story")
    page.get_by_test_id("find").fill("LOSS")
    expect(found.get_by_test_id("found")).to_have_text("0 of 1 · in 5 steps")
    marked = page.evaluate("[...CSS.highlights.get('found')].map(String)")
    assert marked == ["loss"]

    page.get_by_test_id("find").fill("outlier")
    expect(found.get_by_test_id("found")).to_have_text("not in this step · in 1 step")
    found.get_by_test_id("found-previous").click()
    expect(found).to_have_attribute("data-step", "0")
    expect(found.get_by_test_id("found")).to_have_text("1 of 1 · in 1 step")
    assert page.evaluate("[...CSS.highlights.get('found-here')].map(String)") == ["outlier"]

    page.get_by_test_id("find").fill("nowhere")
    expect(found.get_by_test_id("found")).to_have_text("not found")


def test_the_list_of_steps_leads_to_each(page: Page, board: Board) -> None:
    open_board(page, board, "long", more="&q=many")
    found = card(page, "many/steps")
    expect(found.get_by_test_id("text-pane")).to_contain_text("this is step 4999")

    page.get_by_test_id("step-list-toggle").click()
    rows = found.get_by_test_id("text-step")
    expect(rows.last).to_contain_text("this is step **4999**")
    assert rows.count() < 60
    found.locator(".virtual").evaluate("box => { box.scrollTop = 0 }")
    found.locator('[data-testid="text-step"][data-step="7"]').click()
    expect(found.get_by_test_id("text-pane")).to_contain_text("this is step 7")

    page.get_by_test_id("find").fill("step **77")
    expect(rows).to_have_count(11)  # 77 and 770 to 779


def test_a_long_text_is_cut_and_shown_as_a_whole_on_demand(page: Page, board: Board) -> None:
    open_board(page, board, "long", more="&q=long/")
    for tag, last in (("long/markdown", "line** 029999"), ("long/line", "word word")):
        found = card(page, tag)
        expect(found.get_by_test_id("text-all")).to_be_visible()
        began = time.monotonic()
        found.get_by_test_id("text-all").click()
        raw = found.get_by_test_id("text-raw")
        expect(raw).to_contain_text(last)
        assert page.evaluate("1 + 1") == 2
        assert time.monotonic() - began < 10


def test_markdown_of_some_length_is_drawn_beside_the_page(page: Page, board: Board) -> None:
    open_board(page, board, "long", more="&q=long/medium")
    found = card(page, "long/medium")
    expect(found.locator(".markdown strong").first).to_have_text("line")
    first = found.locator(".markdown p").count()

    found.get_by_test_id("text-all").click()

    expect(found.get_by_test_id("text-all")).to_have_count(0)
    expect(found.locator(".markdown p")).to_have_count(LONG[:100_000].count("**line"))
    assert 100 < first < 1000


def test_what_is_looked_for_is_not_hidden_in_a_long_text(page: Page, board: Board) -> None:
    open_board(page, board, "long", more="&q=long/markdown&find=029998")
    found = card(page, "long/markdown")

    expect(found.get_by_test_id("found")).to_contain_text("of 1 ")
    expect(found.get_by_test_id("text-all")).to_have_count(0)


_FORBIDDEN = "script, style, svg, iframe, object, form, input, base, meta, img, [onerror], [onload], [style], [id]"


def test_texts_that_mean_harm_do_none(page: Page, board: Board) -> None:
    dialogs: list[Dialog] = []
    strangers: list[str] = []

    def note(request: Request) -> None:
        # The picture of a text must not be asked for, wherever it is said to be.
        if not request.url.startswith(board.address) or request.resource_type in ("image", "media", "document"):
            strangers.append(request.url)

    open_board(page, board, "hostile")
    page.on("dialog", lambda dialog: dialogs.append(dialog))
    page.on("request", note)
    for tag in HOSTILE:
        found = card(page, f"hostile/{tag}")
        shown = found.locator(".text")
        expect(shown).not_to_be_empty()
        assert shown.locator(_FORBIDDEN).count() == 0, tag
        assert shown.locator("a[href]").evaluate_all(
            "links => links.every(link => /^https?:/.test(link.getAttribute('href')))"
        ), tag
        shown.hover()
    expect(card(page, "hostile/script").locator(".markdown")).to_contain_text(HOSTILE["script"])
    wait_in_page(page, 300)

    assert page.title().startswith("Text")
    assert (dialogs, strangers) == ([], [])


def test_text_from_right_to_left(page: Page, board: Board) -> None:
    open_board(page, board, "hostile", more="&q=arabic")
    paragraphs = card(page, "kind/arabic").locator(".markdown p")
    expect(paragraphs).to_have_count(2)

    right, left = (box.evaluate(_TEXT_BEGINS) for box in paragraphs.all())

    assert right > 0.5 > left


# Where the text of a paragraph begins, as a share of its width.
_TEXT_BEGINS = """box => {
  const range = document.createRange()
  range.setStart(box.firstChild, 0)
  range.setEnd(box.firstChild, 1)
  const { left, width } = box.getBoundingClientRect()
  return (range.getBoundingClientRect().left - left) / width
}"""


def test_a_tensor_of_texts_is_a_table(page: Page, board: Board) -> None:
    open_board(page, board, "odd")

    table = card(page, "odd/table").get_by_test_id("text-table")
    expect(table.locator("td")).to_have_text(["r0 c0", "r0 c1", "r0 c2", "r1 c0", "r1 c1", "r1 c2"])
    expect(table.locator("strong").first).to_have_text("r0")
    deep = card(page, "odd/deep").get_by_test_id("text-table")
    expect(deep.locator("th")).to_have_text(["0, 0", "0, 1", "1, 0", "1, 1"])
    expect(deep.locator("td")).to_have_text(list("01234567"))


def test_a_bad_text_says_so_on_its_card_and_harms_no_other(page: Page, board: Board) -> None:
    open_board(page, board, "odd")

    expect(card(page, "odd/bad").get_by_test_id("state-failed")).to_contain_text("do not fit the shape")
    expect(card(page, "odd/table").locator("td")).to_have_count(6)


def test_a_text_is_copied_and_downloaded_as_it_was_logged(page: Page, board: Board, tmp_path: Path) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_board(page, board, "one", "two", more="&step=0")
    found = card(page, "notes/story")
    expect(found.locator("h1").first).to_be_visible()

    tool(found, "copy-text").click()
    expect(found.get_by_test_id("copy-text").first).to_have_attribute("aria-label", "Copied")
    assert page.evaluate("navigator.clipboard.readText()") == story("one", 0)
    with page.expect_download() as saved:
        tool(found, "text-save").click()
    saved.value.save_as(tmp_path / "saved.md")
    with page.expect_download() as packed:
        tool(found, "card-zip").click()
    packed.value.save_as(tmp_path / "saved.zip")

    assert saved.value.suggested_filename.endswith(".md")
    assert (tmp_path / "saved.md").read_text("utf-8") == story("one", 0)
    with zipfile.ZipFile(tmp_path / "saved.zip") as archive:
        assert archive.testzip() is None
        assert len(archive.namelist()) == sum(map(len, STEPS.values()))
        assert archive.read("2_two/25.md").decode() == story("two", 25)


def test_full_screen_and_back(page: Page, board: Board) -> None:
    open_board(page, board, "one")
    found = card(page, "notes/story")

    tool(found, "card-fullscreen").click()
    expect(found).to_have_class(re.compile("full"))
    page.keyboard.press("ArrowLeft")
    expect(found).to_have_attribute("data-step", "30")
    page.keyboard.press("Escape")
    expect(found).not_to_have_class(re.compile("full"))


def test_a_link_shows_the_same_again(page: Page, board: Board) -> None:
    open_board(page, board, "one", more="&step=20&as=diff&against=first&find=loss")
    page.reload()

    expect(card(page, "notes/story")).to_have_attribute("data-step", "20")
    expect(page.get_by_test_id("look-diff")).to_have_attribute("aria-checked", "true")
    expect(page.get_by_test_id("against")).to_have_value("first")
    expect(page.get_by_test_id("find")).to_have_value("loss")


def test_only_what_is_in_view_is_fetched(page: Page, board: Board) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/v1/texts?" in request.url else None)
    open_board(page, board, "long", more="&q=other")
    expect(card(page, "other/tag00").locator(".markdown")).to_have_text("x")
    wait_in_page(page, 300)

    assert 0 < len(asked) < 25
    expect(card(page, "other/tag39").locator(".markdown")).to_have_text("x")


def test_a_run_without_texts_tells_how_to_log_one(page: Page, board: Board) -> None:
    page.goto(f"/texts?{board.runs('plain')}")

    expect(page.get_by_test_id("state-empty")).to_contain_text("add_text")


def test_a_failed_list_can_be_asked_for_again(page: Page, board: Board) -> None:
    page.route("**/v1/texts?*", lambda route: route.abort())
    page.goto(f"/texts?{board.runs('one')}")
    expect(page.get_by_test_id("state-failed")).to_be_visible()

    page.unroute("**/v1/texts?*")
    page.get_by_test_id("retry").click()

    expect(card(page, "notes/story").locator("h1")).to_have_text("Report of one")


def test_chinese(page: Page, board: Board) -> None:
    open_board(page, board, "one")
    page.get_by_test_id("lang-switch").click()

    expect(page.get_by_test_id("settings-strip")).to_contain_text("差异")
    expect(page.get_by_test_id("breadcrumb")).to_contain_text("文本")


def test_a_new_text_appears_by_itself_unless_one_looks_at_an_older(page: Page, tmp_path: Path) -> None:
    base_dir = tmp_path / "runs"
    with SummaryWriter(str(base_dir / "living")) as writer:
        writer.add_text("notes", "first", 0)
        writer.add_text("notes", "second", 1)
        writer.flush()
        with served(base_dir) as board:
            page.goto(f"{board.address}/texts?{board.runs('living')}")
            found = card(page, "notes")
            expect(found.locator(".markdown")).to_have_text("second")

            writer.add_text("notes", "third", 2)
            writer.flush()
            expect(found.locator(".markdown")).to_have_text("third")

            found.get_by_test_id("step-previous").click()
            writer.add_text("notes", "fourth", 3)
            writer.flush()
            expect(found.get_by_test_id("step-place")).to_have_text("2 of 4")
            expect(found.locator(".markdown")).to_have_text("second")


def test_texts_of_the_real_frameworks(corpus_page: Page, corpus: Path, eventually: Callable[..., None]) -> None:
    page, shown = corpus_page, 0
    for path in sorted(corpus.rglob("expected.json")):
        run = path.parent.relative_to(corpus).as_posix()
        for tag, written in json.loads(path.read_text("utf-8")).get("texts", {}).items():
            page.goto(f"/runs/{run_id(run)}/texts?as=raw&step={written[0][0]}")
            found = card(page, tag.removesuffix("/text_summary"))
            for step, text, *_ in written[:3]:
                expect(found.get_by_test_id("text-pane")).to_have_attribute("data-step", str(step))
                raw = found.get_by_test_id("text-raw")
                eventually(lambda raw=raw, text=text: raw.inner_text().strip() == text.strip())
                found.get_by_test_id("text-stage").focus()
                page.keyboard.press("ArrowRight")
                shown += 1

    assert shown >= 12
