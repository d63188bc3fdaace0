"""The encoders of VisualDL values give the very bytes of its message classes.

The expected bytes were serialised by the classes of visualdl 2.5.3.
"""

import pytest

from mindinsight_like.writers.encoding import visualdl

TIME = 1_750_000_000_250
COUNTS = [[2, 0], [300, 0], [0, 300], [0, 2]]
RATIOS = [0.5, 0.0], [1.0, 0.0]

ENCODED = {
    "scalar": (
        visualdl.scalar_record("train/loss", 0.5, 300, TIME),
        "0a1b08ac02120a747261696e2f6c6f737318fab983a1f732250000003f",
    ),
    "scalar by parts": (
        visualdl.stamped("train/loss", visualdl.scalar(0.5), 300, TIME),
        "0a1b08ac02120a747261696e2f6c6f737318fab983a1f732250000003f",
    ),
    "zero of a group": (
        visualdl.stamped("pair", visualdl.sub_scalar("sin", 0.0), 0, TIME),
        "0a1412047061697218fab983a1f73272050a0373696e",
    ),
    "one of a group": (
        visualdl.stamped("pair", visualdl.sub_scalar("cos", 1.0), 0, TIME),
        "0a1912047061697218fab983a1f732720a0a03636f73150000803f",
    ),
    "display name": (
        visualdl.stamped("meta_data_tag", visualdl.meta("first"), 0, TIME),
        "0a1f120d6d6574615f646174615f74616718fab983a1f73252070a056669727374",
    ),
    "text at a negative step": (
        visualdl.stamped("t", visualdl.text("一"), -1, TIME),
        "0a1c08ffffffffffffffffff0112017418fab983a1f73262050a03e4b880",
    ),
    "embeddings": (
        visualdl.stamped(
            "e",
            visualdl.embeddings(
                map(visualdl.packed_singles, ([1.0, 2.0], [3.0, 4.0])), [["a", "0"], ["b", "1"]], ["w", "g"]
            ),
            0,
            TIME,
        ),
        "0a3612016518fab983a1f7323a2a0a100a01610a013012080000803f00000040"
        "0a100a01620a013112080000404000008040120177120167",
    ),
    "histogram": (
        visualdl.stamped("h", visualdl.histogram([-1.0, 0.0, 1.0], [3, 4]), 2, TIME),
        "0a3a080212016818fab983a1f732422c0a10000000000000084000000000000010401218000000000000f0bf"
        "0000000000000000000000000000f03f",
    ),
    "precision and recall": (
        visualdl.stamped("p", visualdl.pr_curve(COUNTS, *RATIOS), 1, TIME),
        "0a44080112017018fab983a1f7324a360a0202001203ac02001a0300ac02220200022a10000000000000e03f0000000000000000"
        "3210000000000000f03f0000000000000000",
    ),
    "rates of positives": (
        visualdl.stamped("r", visualdl.roc_curve(COUNTS, *RATIOS), 1, TIME),
        "0a44080112017218fab983a1f7325a360a0202001203ac02001a0300ac02220200022a10000000000000e03f0000000000000000"
        "3210000000000000f03f0000000000000000",
    ),
    "hyperparameters": (
        visualdl.stamped("hparam", visualdl.hparams("id", {"lr": 0.1, "n": -3, "o": "S"}, ["m"]), 1, TIME),
        "0a4c0801120668706172616d18fab983a1f7326a390a0d119a9999999999b93f22026c720a0e08fdffffffffffffffff0122016e"
        "0a061a015322016f120c11000000000000000022016d1a026964",
    ),
    "audio": (
        visualdl.stamped("a", visualdl.audio(b"RIFF", sample_rate=8000, channels=1, frames=2), 1, TIME),
        "0a28080112016118fab983a1f732321a0d0000fa45100118022204524946462a09617564696f2f776176",
    ),
    "image": (
        visualdl.stamped("i", visualdl.image(b"PNG"), 1, TIME),
        "0a13080112016918fab983a1f7322a052203504e47",
    ),
}


@pytest.mark.parametrize("name", ENCODED)
def test_a_record_has_the_bytes_of_the_original(name: str) -> None:
    encoded, expected = ENCODED[name]

    assert encoded.hex() == expected
