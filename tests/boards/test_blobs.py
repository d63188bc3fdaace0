"""Files by their address: only what was logged, only while it is there, and never as something a browser runs."""

from __future__ import annotations

import base64
import io
import shutil

import numpy as np
import pytest

from mindinsight_like.writers.encoding import tensorboard
from mindinsight_like.writers.encoding.audio import wav
from mindinsight_like.writers.encoding.images import png

PICTURE = png(np.zeros((3, 4, 3), np.uint8))
SOUND = wav(np.arange(100, dtype=np.int16)[:, None], sample_rate=8000)
SVG = b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"


@pytest.fixture
def logged(board):
    """A run with one value of several kinds, loaded."""
    board.path = board.log_values(
        "a",
        tensorboard.image('i/"\r\n<b>', PICTURE, width=4, height=3),
        tensorboard.strings("many", [b"4", b"3", PICTURE, SVG], shape=(4,), plugin="images"),
        tensorboard.audio("s", SOUND),
        tensorboard.tensor("t", np.arange(6.0), plugin="other"),
        tensorboard.strings("text", [b"x"], shape=(), plugin="text"),
    )
    board.load()
    return board


def address(board, route, tag, index=0):
    return board.get(route, run=board.id_of("a"), tag=tag)["series"][0]["items"][index]["url"]


@pytest.mark.parametrize(
    ("route", "tag", "kind", "content"),
    [("images", 'i/"\r\n<b>', "image/png", PICTURE), ("audio", "s", "audio/wav", SOUND.file)],
)
def test_files_come_as_what_they_are(logged, route, tag, kind, content):
    answer = logged.client.get(address(logged, route, tag))

    assert answer.data == content
    assert answer.headers["Content-Type"] == kind
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert answer.headers["Content-Disposition"].startswith('inline; filename="')
    assert answer.headers["Cache-Control"] == "private, max-age=31536000, immutable"


def test_names_of_downloads_are_plain(logged):
    answer = logged.client.get(address(logged, "images", 'i/"\r\n<b>'))

    assert answer.headers["Content-Disposition"] == 'inline; filename="i_b_0.png"'


def test_names_of_downloads_tell_steps_and_parts_apart(board):
    for step in (7, 8):
        board.log_values("b", tensorboard.tensor("t", np.arange(3.0), plugin="other"), step=step)
    board.load()
    items = board.get("tensors", run=board.id_of("b"), tag="t")["series"][0]["items"]

    names = [board.client.get(item["url"]).headers["Content-Disposition"] for item in items]

    assert names == [f'attachment; filename="t_{step}.npy"' for step in (7, 8)]


def test_arrays_are_downloads(logged):
    answer = logged.client.get(address(logged, "tensors", "t"))

    assert answer.headers["Content-Type"] == "application/octet-stream"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="t_0.npy"'
    assert np.load(io.BytesIO(answer.data), allow_pickle=False).tolist() == [0, 1, 2, 3, 4, 5]


def other_part(url, part):
    """The address of another value of the same record."""
    head, _, token = url.rpartition("/")
    packed = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
    changed = packed[:-4] + part.to_bytes(4, "little")
    return f"{head}/{base64.urlsafe_b64encode(changed).decode().rstrip('=')}"


def test_what_a_browser_might_run_is_a_download_without_type(logged):
    one, two = logged.get("images", run=logged.id_of("a"), tag="many")["series"][0]["items"]

    answer = logged.client.get(other_part(one["url"], 1))

    assert (two["url"], bool(two["error"])) == (None, True)
    assert answer.data == SVG
    assert answer.headers["Content-Type"] == "application/octet-stream"
    assert answer.headers["Content-Disposition"].startswith("attachment;")


def test_parts_that_do_not_exist_are_not_found(logged):
    url = address(logged, "images", "many")

    for part in (2, 2**32 - 1):
        assert logged.client.get(other_part(url, part)).status_code == 404


@pytest.mark.parametrize("token", ["x", "A" * 48, "..%2f..%2fetc%2fpasswd", "%00", "a" * 3000])
def test_invented_addresses_are_not_found(logged, token):
    assert logged.client.get(f"/v1/blobs/{token}").status_code == 404


def test_a_held_file_is_not_sent_again(logged):
    url = address(logged, "audio", "s")
    first = logged.client.get(url)

    second = logged.client.get(url, headers={"If-None-Match": first.headers["ETag"]})

    assert (second.status_code, second.data) == (304, b"")
    assert second.headers["Cache-Control"] == first.headers["Cache-Control"]


def test_a_player_may_ask_for_a_part(logged):
    url = address(logged, "audio", "s")

    part = logged.client.get(url, headers={"Range": "bytes=10-19"})
    beyond = logged.client.get(url, headers={"Range": "bytes=100000-"})

    assert (part.status_code, part.data) == (206, SOUND.file[10:20])
    assert part.headers["Content-Range"] == f"bytes 10-19/{len(SOUND.file)}"
    assert beyond.status_code == 416


def test_a_replaced_log_file_gives_nothing_of_itself(logged):
    url = address(logged, "images", "many")
    logged.path.write_bytes(b"secret" * 1000)

    answer = logged.client.get(url)

    assert (answer.status_code, answer.get_json()["error"]["code"]) == (410, "blob_gone")
    logged.load()
    assert logged.client.get(url).status_code == 404


def test_samples_of_the_old_visualdl_are_asked_for_again(corpus, board):
    shutil.copytree(corpus / "visualdl-1.3-legacy" / "logistic", board.settings.summary_base_dir / "a")
    board.load()
    url = address(board, "images", "train/images/digit")

    before = board.client.get(url)
    sample = board.settings.summary_base_dir / "a" / "binary_records" / "0"
    sample.write_bytes(sample.read_bytes()[:8] + bytes(192))
    after = board.client.get(url, headers={"If-None-Match": before.headers["ETag"]})

    assert before.headers["Cache-Control"] == "private, no-cache"
    assert after.status_code == 200


def test_a_sample_that_leads_outside_is_not_read(corpus, board, tmp_path):
    folder = board.settings.summary_base_dir / "a"
    shutil.copytree(corpus / "visualdl-1.3-legacy" / "logistic", folder)
    board.load()
    url = address(board, "images", "train/images/digit")
    outside = tmp_path / "outside"
    outside.write_bytes((folder / "binary_records" / "0").read_bytes())
    (folder / "binary_records" / "0").unlink()
    (folder / "binary_records" / "0").symlink_to(outside)

    assert board.client.get(url).status_code == 410
