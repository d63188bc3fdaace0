"""Each control of the audio board in a real browser."""

from __future__ import annotations

import io
import json
import re
import wave
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from mindinsight_like import SummaryWriter
from mindinsight_like.store.database.location import run_id
from mindinsight_like.writers.encoding import tensorboard
from mindinsight_like.writers.encoding.audio import Sound
from mindinsight_like.writers.files.record_file import RecordFile
from tests.ui.conftest import BEGIN, Board, served, wait_in_page

RATE = 8000
STEPS = {"low": range(0, 40, 10), "high": range(0, 40, 20)}
Eventually = Callable[[Callable[[], bool]], None]


def tone(run: str, step: int) -> np.ndarray:
    """Two seconds: loud, then silent from the middle on; its pitch tells run and step."""
    at = np.arange(2 * RATE) / RATE
    hertz = (200 if run == "low" else 2000) + step
    return np.where(at < 1, 0.8 * np.sin(2 * np.pi * hertz * at), 0).astype(np.float32)


def wav(samples: np.ndarray, *, width: int = 2, channels: int = 1, rate: int = RATE) -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as sound:
        sound.setnchannels(channels)
        sound.setsampwidth(width)
        sound.setframerate(rate)
        sound.writeframes(samples.tobytes())
    return out.getvalue()


def doubles(samples: np.ndarray) -> bytes:
    """A WAV file of double precision, which browsers do not play."""
    data = samples.astype("<f8").tobytes()
    head = b"WAVEfmt " + (16).to_bytes(4, "little") + (3).to_bytes(2, "little") + (1).to_bytes(2, "little")
    head += RATE.to_bytes(4, "little") + (RATE * 8).to_bytes(4, "little") + (8).to_bytes(2, "little")
    head += (64).to_bytes(2, "little") + b"data" + len(data).to_bytes(4, "little")
    return b"RIFF" + (len(head) + len(data)).to_bytes(4, "little") + head + data


def write_sounds(base_dir: Path) -> None:
    for run, steps in STEPS.items():
        with SummaryWriter(str(base_dir / run)) as writer:
            for step in steps:
                writer.add_audio("voice/tone", tone(run, step), step, sample_rate=RATE)
    with SummaryWriter(str(base_dir / "many")) as writer:
        for tag in range(40):
            writer.add_audio(f"many/tag{tag:02d}", tone("low", tag), 0, sample_rate=RATE)
    with SummaryWriter(str(base_dir / "plain")) as writer:
        writer.add_scalar("loss", 1.0, 0)
    with RecordFile(base_dir / "odd" / f"events.out.tfevents.{int(BEGIN)}.tests.5.0", frame=tensorboard.frame) as log:
        log.write(tensorboard.opening(BEGIN))
        stereo = (np.stack([tone("low", 0), -tone("high", 0)], 1) * 32767).astype("<i2")
        packed = bytearray(wav(np.zeros(4000, np.uint8), width=1))
        packed[20:22] = (17).to_bytes(2, "little")
        values = {
            "odd/stereo": wav(stereo, channels=2),
            "odd/doubles": doubles(tone("low", 0)),
            "odd/packed": bytes(packed),
            "odd/none": b"this is no sound",
            "odd/silent": wav(np.zeros(0, "<i2")),
        }
        batch = tensorboard.strings(
            "odd/batch", [wav((tone(run, 0) * 32767).astype("<i2")) for run in STEPS], shape=(2,), plugin="audio"
        )
        log.write(
            tensorboard.event(
                [*(tensorboard.audio(tag, Sound(file, RATE, 1, 0)) for tag, file in values.items()), batch],
                step=1,
                wall_time=BEGIN,
            )
        )


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    """A service over runs with sounds, some of them odd, and one run without any."""
    base_dir = tmp_path_factory.mktemp("audio") / "runs"
    write_sounds(base_dir)
    with served(base_dir) as board:
        yield board


def open_board(page: Page, board: Board, *names: str, more: str = "") -> None:
    page.goto(f"/audio?{board.runs(*names)}{more}")
    expect(page.get_by_test_id("sound-card").first).to_be_visible()


def card(page: Page, tag: str) -> Locator:
    """The card of a tag, once its sounds are known."""
    found = page.locator(f'[data-testid="sound-card"][data-tag="{tag}"]')
    found.scroll_into_view_if_needed()
    expect(found).to_have_attribute("data-loaded", "true")
    return found


def sound(found: Locator, number: int = 0) -> Locator:
    """A sound of a card, once it is drawn."""
    drawn = found.get_by_test_id("sound").nth(number)
    expect(drawn).to_have_attribute("data-ready", "true")
    return drawn


def rows(page: Page, drawn: Locator) -> np.ndarray:
    """For each column of the drawing, how many pixels stand out from the background in its corner."""
    page.mouse.move(0, 0)
    shot = Image.open(io.BytesIO(drawn.get_by_test_id("sound-stage").screenshot())).convert("RGB")
    pixels = np.asarray(shot, np.int32)[2:-2, 2:-2]
    return np.asarray((np.abs(pixels - pixels[0, 0]).sum(2) > 60).sum(0))


def second(drawn: Locator) -> float:
    """Where a sound stands."""
    return float(drawn.get_by_test_id("sound-stage").get_attribute("aria-valuenow") or "nan")


def test_the_waveform_has_the_shape_of_the_sound(page: Page, board: Board) -> None:
    open_board(page, board, "low")
    drawn = sound(card(page, "voice/tone"))
    found = rows(page, drawn)
    half = len(found) // 2

    assert found[: half - 4].min() > 40
    assert found[half + 4 :].max() <= 3
    expect(drawn.get_by_test_id("sound-facts")).to_have_text(re.compile("8 kHz · mono · 2.s"))


def test_playing_moves_on_and_pauses(page: Page, board: Board, eventually: Eventually) -> None:
    open_board(page, board, "low")
    drawn = sound(card(page, "voice/tone"))

    drawn.get_by_test_id("sound-play").click()
    expect(drawn).to_have_attribute("data-playing", "true")
    eventually(lambda: second(drawn) > 0.2)
    drawn.get_by_test_id("sound-play").click()
    expect(drawn).to_have_attribute("data-playing", "false")
    there = second(drawn)
    wait_in_page(page, 200)

    assert 0.2 < there == second(drawn) < 2


def test_one_sound_plays_at_a_time(page: Page, board: Board) -> None:
    page.add_init_script("localStorage.setItem('mi-loop', 'true')")
    open_board(page, board, "low", "high")
    found = card(page, "voice/tone")
    first, other = sound(found, 0), sound(found, 1)

    first.get_by_test_id("sound-play").click()
    expect(first).to_have_attribute("data-playing", "true")
    other.get_by_test_id("sound-play").click()

    expect(other).to_have_attribute("data-playing", "true")
    expect(first).to_have_attribute("data-playing", "false")


def test_seeking_by_click_and_by_keys(page: Page, board: Board, eventually: Eventually) -> None:
    open_board(page, board, "low")
    drawn = sound(card(page, "voice/tone"))
    stage = drawn.get_by_test_id("sound-stage")
    drawn.get_by_test_id("sound-play").click()
    drawn.get_by_test_id("sound-play").click()
    box = stage.bounding_box()
    assert box is not None

    stage.click(position={"x": box["width"] * 0.75, "y": 20})
    eventually(lambda: abs(second(drawn) - 1.5) < 0.05)
    page.keyboard.press("ArrowLeft")
    eventually(lambda: abs(second(drawn) - 1.46) < 0.05)
    page.keyboard.press("Home")
    eventually(lambda: second(drawn) == 0)
    expect(drawn.get_by_test_id("sound-time")).to_have_text("0:00.00 / 0:02.00")
    page.keyboard.press("Space")
    expect(drawn).to_have_attribute("data-playing", "true")


def test_volume_speed_and_loop_are_remembered(page: Page, board: Board, eventually: Eventually) -> None:
    open_board(page, board, "low")
    page.get_by_test_id("volume").fill("0.3")
    page.get_by_test_id("speed").select_option("4")
    page.get_by_test_id("loop").check()
    page.get_by_test_id("mute").click()
    page.reload()
    expect(page.get_by_test_id("mute")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_test_id("volume")).to_have_value("0")
    page.get_by_test_id("mute").click()
    expect(page.get_by_test_id("volume")).to_have_value("0.3")
    expect(page.get_by_test_id("speed")).to_have_value("4")
    expect(page.get_by_test_id("loop")).to_be_checked()
    drawn = sound(card(page, "voice/tone"))

    drawn.get_by_test_id("sound-play").click()
    eventually(lambda: second(drawn) > 1.5)
    eventually(lambda: second(drawn) < 1.0)  # at its beginning again

    expect(drawn).to_have_attribute("data-playing", "true")


def test_steps_by_keys_and_by_slider(page: Page, board: Board) -> None:
    open_board(page, board, "low", "high")
    found = card(page, "voice/tone")
    expect(found.get_by_test_id("step-place")).to_have_text("4 of 4")

    found.get_by_test_id("sound-board-stage").focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")

    expect(found).to_have_attribute("data-step", "10")
    expect(found.get_by_test_id("sound-pane").nth(1)).to_have_attribute("data-step", "0")
    expect(found.get_by_test_id("sound-pane").nth(1).locator("figcaption")).to_contain_text("Step 0")
    expect(page).to_have_url(re.compile(r"[?&]step=10"))


def test_leaving_a_step_ends_its_sound(page: Page, board: Board) -> None:
    page.add_init_script("localStorage.setItem('mi-loop', 'true')")
    open_board(page, board, "low")
    found = card(page, "voice/tone")
    sound(found).get_by_test_id("sound-play").click()
    expect(sound(found)).to_have_attribute("data-playing", "true")

    found.get_by_test_id("step-previous").click()
    expect(found).to_have_attribute("data-step", "20")

    expect(sound(found)).to_have_attribute("data-playing", "false")
    assert second(sound(found)) == 0


def test_the_spectrogram_shows_the_pitch(page: Page, board: Board) -> None:
    open_board(page, board, "low", "high", more="&as=spectrogram")
    found = card(page, "voice/tone")
    brightest = []
    for number in range(2):
        stage = sound(found, number).get_by_test_id("sound-stage")
        page.mouse.move(0, 0)
        pixels = np.asarray(Image.open(io.BytesIO(stage.screenshot())).convert("L"), np.float64)[
            3:-3
        ]  # without its border
        column = pixels[:, pixels.shape[1] // 4]
        brightest.append(1 - column.argmax() / len(column))

    assert brightest[0] == pytest.approx(230 / 4000, abs=0.04)
    assert brightest[1] == pytest.approx(2020 / 4000, abs=0.04)
    page.get_by_test_id("look-wave").click()
    expect(page).not_to_have_url(re.compile("spectrogram"))


def test_channels_have_lanes_of_their_own(page: Page, board: Board) -> None:
    open_board(page, board, "odd", more="&q=stereo")
    drawn = sound(card(page, "odd/stereo"))

    expect(drawn.get_by_test_id("sound-facts")).to_contain_text("stereo")
    assert rows(page, drawn)[:20].max() > 40


def test_several_sounds_of_a_step(page: Page, board: Board) -> None:
    open_board(page, board, "odd", more="&q=batch")

    expect(card(page, "odd/batch").get_by_test_id("sound")).to_have_count(2)


def test_a_sound_that_browsers_refuse_is_converted(page: Page, board: Board, eventually: Eventually) -> None:
    open_board(page, board, "odd", more="&q=doubles")
    drawn = sound(card(page, "odd/doubles"))

    drawn.get_by_test_id("sound-play").click()

    eventually(lambda: second(drawn) > 0.1)


def test_bad_sounds_say_so_on_their_cards_and_harm_no_other(page: Page, board: Board) -> None:
    open_board(page, board, "odd")

    expect(card(page, "odd/none").get_by_test_id("state-failed")).to_contain_text("not a WAV file")
    expect(card(page, "odd/packed").get_by_test_id("state-failed")).to_contain_text("cannot be decoded here")
    expect(card(page, "odd/silent").get_by_test_id("state-empty")).to_contain_text("empty")
    sound(card(page, "odd/stereo"))


def test_sounds_are_downloaded_as_they_were_logged(page: Page, board: Board, tmp_path: Path) -> None:
    open_board(page, board, "low", "high", more="&step=20")
    found = card(page, "voice/tone")
    with page.expect_download() as saved:
        sound(found, 1).get_by_test_id("sound-save").click()
    saved.value.save_as(tmp_path / "saved.wav")
    found.hover()
    with page.expect_download() as packed:
        found.get_by_test_id("card-zip").click()
    packed.value.save_as(tmp_path / "saved.zip")

    assert saved.value.suggested_filename == "voice_tone_high_20.wav"
    with zipfile.ZipFile(tmp_path / "saved.zip") as archive:
        assert archive.testzip() is None
        assert set(archive.namelist()) == {f"{run}/{step}.wav" for run, steps in STEPS.items() for step in steps}
        assert archive.read("high/20.wav") == (tmp_path / "saved.wav").read_bytes()
    with wave.open(str(tmp_path / "saved.wav")) as file:
        heard = np.frombuffer(file.readframes(RATE), "<i2") / 32767
    assert np.abs(heard - tone("high", 20)[:RATE]).max() < 0.001


def test_a_link_shows_the_same_again(page: Page, board: Board) -> None:
    open_board(page, board, "low", more="&step=20&as=spectrogram")
    page.reload()

    expect(card(page, "voice/tone")).to_have_attribute("data-step", "20")
    expect(page.get_by_test_id("look-spectrogram")).to_have_attribute("aria-checked", "true")


def test_only_what_is_in_view_is_fetched(page: Page, board: Board) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/v1/blobs/" in request.url else None)
    open_board(page, board, "many")
    sound(card(page, "many/tag00"))
    wait_in_page(page, 300)

    assert 0 < len(asked) < 25
    sound(card(page, "many/tag39"))


def test_full_screen_and_back(page: Page, board: Board) -> None:
    open_board(page, board, "low")
    found = card(page, "voice/tone")
    found.hover()

    found.get_by_test_id("card-fullscreen").click()
    expect(found).to_have_class(re.compile("full"))
    page.keyboard.press("ArrowLeft")
    expect(found).to_have_attribute("data-step", "20")
    page.keyboard.press("Escape")
    expect(found).not_to_have_class(re.compile("full"))


def test_a_run_without_sounds_tells_how_to_log_one(page: Page, board: Board) -> None:
    page.goto(f"/audio?{board.runs('plain')}")

    expect(page.get_by_test_id("state-empty")).to_contain_text("add_audio")


def test_chinese(page: Page, board: Board) -> None:
    open_board(page, board, "low")
    page.get_by_test_id("lang-switch").click()

    expect(page.get_by_test_id("settings-strip")).to_contain_text("波形")
    expect(page.get_by_test_id("breadcrumb")).to_contain_text("音频")


def test_a_new_sound_appears_by_itself(page: Page, tmp_path: Path) -> None:
    base_dir = tmp_path / "runs"
    with SummaryWriter(str(base_dir / "living")) as writer:
        writer.add_audio("tone", tone("low", 0), 0, sample_rate=RATE)
        writer.flush()
        with served(base_dir) as board:
            page.goto(f"{board.address}/audio?{board.runs('living')}")
            sound(card(page, "tone"))

            writer.add_audio("tone", tone("low", 5), 5, sample_rate=RATE)
            writer.flush()

            expect(card(page, "tone")).to_have_attribute("data-step", "5")


def test_sounds_of_the_real_frameworks(corpus_page: Page, corpus: Path) -> None:
    page, drawn = corpus_page, 0
    for path in sorted(corpus.rglob("expected.json")):
        run = path.parent.relative_to(corpus).as_posix()
        for tag in json.loads(path.read_text("utf-8")).get("audio", {}):
            page.goto(f"/runs/{run_id(run)}/audio?q={tag}")
            found = card(page, tag)
            if run.startswith("visualdl-1.3"):
                expect(found.get_by_test_id("state-failed")).to_contain_text("no audio was recorded")
                continue
            assert rows(page, sound(found)).max() > 3, (run, tag)  # TensorFlow's is a quiet one
            drawn += 1

    assert drawn >= 4
