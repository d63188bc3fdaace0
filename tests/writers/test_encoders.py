"""The encoders give the very bytes of the original message classes.

The expected bytes were serialised by the classes of tensorboard 2.21.0, mindinsight 2.3.1 and visualdl 2.5.3.
"""

import pytest

from mindinsight_like.writers.encoding import mindspore, tensorboard, visualdl

WALL = 1_750_000_000.25
EDGES, COUNTS = [-1.0, 0.0, 1.0], [3, 4]


def _tensorboard(value: bytes, step: int) -> bytes:
    return tensorboard.event([value], step=step, wall_time=WALL)


def _mindspore(values: list[bytes], step: int) -> bytes:
    return mindspore.event(values, step=step, wall_time=WALL)


def _visualdl(tag: str, content: bytes, step: int) -> bytes:
    return visualdl.record(tag, content, step=step, wall_time=WALL)


ENCODED = {
    "tensorboard opening": (
        tensorboard.opening(WALL),
        "0900001060b813da411a0d627261696e2e4576656e743a32",
    ),
    "tensorboard scalar": (
        _tensorboard(tensorboard.scalar("train/loss", 0.5), 300),
        "0900001060b813da4110ac022a130a110a0a747261696e2f6c6f7373150000003f",
    ),
    "tensorboard zero at step zero": (
        _tensorboard(tensorboard.scalar("z", 0.0), 0),
        "0900001060b813da412a0a0a080a017a1500000000",
    ),
    "tensorboard infinity at a negative step": (
        _tensorboard(tensorboard.scalar("z", float("-inf")), -1),
        "0900001060b813da4110ffffffffffffffffff012a0a0a080a017a15000080ff",
    ),
    "tensorboard double": (
        _tensorboard(tensorboard.double_scalar("d", 0.1), 1),
        "0900001060b813da4110012a200a1e0a0164420c080232089a9999999999b93f4a0b0a090a077363616c617273",
    ),
    "tensorboard tensor": (
        _tensorboard(tensorboard.tensor_scalar("t", 0.5), 1),
        "0900001060b813da4110012a1e0a1c0a0174420a0801120022040000003f4a0b0a090a077363616c617273",
    ),
    "tensorboard text": (
        _tensorboard(tensorboard.text("note", "hi"), 2),
        "0900001060b813da4110022a2d0a2b0a116e6f74652f746578745f73756d6d617279"
        "420c0807120412020801420268694a080a060a0474657874",
    ),
    "tensorboard image": (
        _tensorboard(tensorboard.image("pic", b"png", width=3, height=2), 7),
        "0900001060b813da4110072a140a120a03706963220b0802100318032203706e67",
    ),
    "tensorboard histogram": (
        _tensorboard(tensorboard.histogram("w", EDGES, COUNTS, total=2.5, sum_squares=4.5), 0),
        "0900001060b813da412a580a560a01772a5109000000000000f0bf11000000000000f03f190000000000001c40"
        "21000000000000044029000000000000124032100000000000000000000000000000f03f3a1000000000000008400000000000001040",
    ),
    "mindspore opening": (
        mindspore.opening(WALL),
        "0900001060b813da411a114d696e6453706f72652e4576656e743a31",
    ),
    "mindspore scalars": (
        _mindspore([mindspore.scalar("train/loss", 0.5), mindspore.scalar("acc", float("nan"))], 300),
        "0900001060b813da4110ac022a1f0a110a0a747261696e2f6c6f73731d0000003f0a0a0a036163631d0000c07f",
    ),
    "mindspore image": (
        _mindspore([mindspore.image("pic", b"png", width=3, height=2)], 7),
        "0900001060b813da4110072a140a120a03706963220b0802100318032203706e67",
    ),
    "mindspore histogram": (
        _mindspore([mindspore.histogram("w", EDGES, COUNTS, total=2.5)], 0),
        "0900001060b813da4110002a560a540a01774a4f0a1409000000000000f0bf11000000000000f03f1803"
        "0a1409000000000000000011000000000000f03f180410001800200029000000000000f03f31000000000000f0bf"
        "3900000000000004404007",
    ),
    "visualdl opening": (
        visualdl.opening("mine", wall_time=WALL),
        "0a1e120d6d6574615f646174615f74616718fab983a1f73252060a046d696e65",
    ),
    "visualdl scalar": (
        _visualdl("train/loss", visualdl.scalar(0.5), 300),
        "0a1b08ac02120a747261696e2f6c6f737318fab983a1f732250000003f",
    ),
    "visualdl zero at step zero": (
        _visualdl("z", visualdl.scalar(0.0), 0),
        "0a0f12017a18fab983a1f7322500000000",
    ),
    "visualdl text": (
        _visualdl("note", visualdl.text("hi"), 2),
        "0a15080212046e6f746518fab983a1f73262040a026869",
    ),
    "visualdl image": (
        _visualdl("pic", visualdl.image(b"png"), 7),
        "0a150807120370696318fab983a1f7322a052203706e67",
    ),
    "visualdl histogram": (
        _visualdl("w", visualdl.histogram(EDGES, COUNTS), 0),
        "0a3812017718fab983a1f732422c0a10000000000000084000000000000010401218000000000000f0bf"
        "0000000000000000000000000000f03f",
    ),
}


@pytest.mark.parametrize(("encoded", "expected"), ENCODED.values(), ids=ENCODED.keys())
def test_encoders_give_the_bytes_of_the_original_classes(encoded: bytes, expected: str) -> None:
    assert encoded.hex() == expected


def test_numbers_beyond_single_precision_become_infinite() -> None:
    assert tensorboard.scalar("x", 1e300) == tensorboard.scalar("x", float("inf"))
    assert visualdl.scalar(-1e300) == visualdl.scalar(float("-inf"))


def test_files_are_named_as_the_original_writers_name_them() -> None:
    assert tensorboard.file_name(WALL, host="box", process=12, number=3) == "events.out.tfevents.1750000000.box.12.3"
    assert mindspore.file_name(WALL, host="box", rank=1) == "events.out.events.summary.1750000000.1.box_MS"
    assert visualdl.file_name(WALL) == "vdlrecords.1750000000.log"
