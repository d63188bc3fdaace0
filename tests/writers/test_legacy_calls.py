"""The calls of VisualDL 1.x, and reading them back with its reading calls."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from mindinsight_like import LogReader, LogWriter

RNG = np.random.default_rng(4)


class Weight:
    """Looks like a torch parameter: it gives its numbers only after `detach`."""

    def __init__(self, values: npt.NDArray[Any], *, attached: bool = True) -> None:
        self._values, self._attached = values, attached
        self.shape, self.dtype = values.shape, "torch.float32"

    def is_floating_point(self) -> bool:
        return True

    def view(self, *shape: int) -> Weight:
        return Weight(self._values.reshape(shape))

    def detach(self) -> Weight:
        return Weight(self._values, attached=False)

    def cpu(self) -> Weight:
        return self

    def numpy(self) -> npt.NDArray[Any]:
        if self._attached:
            raise RuntimeError("requires grad")
        return self._values


def test_the_example_of_the_specification(tmp_path: Path) -> None:
    conv1 = Weight(RNG.normal(size=(6, 3, 5, 5)))
    conv2 = Weight(RNG.normal(size=(16, 6, 5, 5)))

    logger = LogWriter(os.fspath(tmp_path), sync_cycle=100)
    with logger.mode("train"):
        scalar_pytorch_train_loss = logger.scalar("scalars/scalar_pytorch_train_loss")
        image1 = logger.image("images/image1", 1)
        image2 = logger.image("images/image2", 1)
        histogram0 = logger.histogram("histogram/histogram0", num_buckets=100)
    for train_step in range(3):
        scalar_pytorch_train_loss.add_record(train_step, 1.0 / (train_step + 1))
        histogram0.add_record(train_step, conv1.view(6 * 3 * 5 * 5, -1))
        image1.start_sampling()
        image1.add_sample([96, 25], conv2.view(16 * 6 * 5 * 5, -1))
        image1.finish_sampling()
        image2.start_sampling()
        image2.add_sample([18, 25], conv1.view(6 * 3 * 5 * 5, -1))
        image2.finish_sampling()
    logger.save()

    reader = LogReader(os.fspath(tmp_path))
    assert reader.modes() == ["train"]
    with reader.mode("train") as train:
        loss = train.scalar("scalars/scalar_pytorch_train_loss")
        assert train.tags("scalar") == ["scalars/scalar_pytorch_train_loss"]
        assert (loss.ids(), loss.records()) == ([0, 1, 2], [1.0, 0.5, float(np.float32(1 / 3))])
        assert train.image("images/image1").record(2, 0).shape() == [96, 25, 1]
        assert train.image("images/image2").num_records() == 3
        histogram = train.histogram("histogram/histogram0").record(1)
        assert (histogram.step(), histogram.num_instances()) == (1, 100)
        assert sum(histogram.instance(number).frequency() for number in range(100)) == 450


def test_modes_are_runs_that_share_charts(tmp_path: Path) -> None:
    logger = LogWriter(tmp_path, 10)
    plain = logger.scalar("loss")
    with logger.mode("train"):
        train = logger.scalar("loss")
    test = logger.as_mode("test").scalar("loss")

    for number, handle in enumerate((plain, train, test)):
        handle.add_record(number, number)
    logger.close()

    reader = LogReader(dir=os.fspath(tmp_path))
    assert reader.runs() == [os.fspath(tmp_path), *(os.fspath(tmp_path / mode) for mode in sorted(reader.modes()[1:]))]
    assert {mode: reader.as_mode(mode).scalar("loss").records() for mode in reader.modes()} == {
        "default": [0.0],
        "train": [1.0],
        "test": [2.0],
    }


def test_a_with_statement_ends_the_mode_but_not_the_log(tmp_path: Path) -> None:
    logger = LogWriter(tmp_path, sync_cycle=1)
    with logger.mode("train") as same:
        inside = same.scalar("loss")
    outside = logger.scalar("loss")

    inside.add_record(0, 1.0)
    outside.add_record(0, 2.0)
    logger.save()

    reader = LogReader(os.fspath(tmp_path))
    assert reader.as_mode("train").scalar("loss").records() == [1.0]
    assert reader.scalar("loss").records() == [2.0]
    logger.close()


def test_both_generations_of_calls_mix(tmp_path: Path) -> None:
    with LogWriter(tmp_path) as writer:
        writer.add_scalar("loss", 1.0, 0)
        with writer.mode("train"):
            handle = writer.scalar("loss")
        handle.add_record(0, 2.0)
        writer.add_scalar("loss", 3.0, 1)

    reader = LogReader(os.fspath(tmp_path))
    assert reader.scalar("loss").records() == [1.0, 3.0]
    assert reader.as_mode("train").scalar("loss").records() == [2.0]


class TestSampling:
    def test_every_sample_offered_has_the_same_chance(self, tmp_path: Path) -> None:
        with LogWriter(tmp_path, sync_cycle=1) as logger:
            image = logger.image("images/numbers", num_samples=2)
            for _ in range(400):
                image.start_sampling()
                for number in range(8):
                    image.add_sample([1, 2], [number + 1, 8])
                image.finish_sampling()

        samples = LogReader(os.fspath(tmp_path)).image("images/numbers")
        kept = Counter(
            int(samples.record(step, place).data()[0]) for step in range(400) for place in range(samples.num_samples())
        )
        assert (samples.num_records(), samples.num_samples()) == (400, 2)
        assert len(kept) == 8
        assert all(60 <= count <= 140 for count in kept.values())  # 100 each, on average

    def test_only_every_so_many_steps_are_kept(self, tmp_path: Path) -> None:
        with LogWriter(tmp_path, sync_cycle=1) as logger:
            image = logger.image("images/x", num_samples=1, step_cycle=3)
            for step in range(7):
                image.start_sampling()
                assert (image.is_sample_taken() >= 0) is (step % 3 == 0)
                if step % 3 == 0:
                    image.set_sample(0, [1, 1, 3], [0.0, 0.5, 1.0])
                image.finish_sampling()

        samples = LogReader(os.fspath(tmp_path)).image("images/x")
        assert [samples.record(number, 0).step_id() for number in range(samples.num_records())] == [0, 3, 6]
        assert samples.record(0, 0).data().tolist() == [0, 127, 255]

    @pytest.mark.parametrize(
        ("values", "pixels"),
        [
            ([0.0, 1.0, 2.0, 4.0], [0, 63, 127, 255]),
            ([-4.0, 0.0, 2.0, 4.0], [1, 128, 191, 255]),
            ([0.0, 0.0, 0.0, 0.0], [0, 0, 0, 0]),
            ([float("nan"), 0.0, 1.0, float("inf")], [0, 0, 255, 0]),
        ],
    )
    def test_pictures_use_the_whole_range_of_brightness(
        self, tmp_path: Path, values: list[float], pixels: list[int]
    ) -> None:
        with LogWriter(tmp_path, sync_cycle=1) as logger:
            image = logger.image("images/x", 1)
            image.start_sampling()
            image.add_sample([2, 2], values)
            image.finish_sampling()

        assert LogReader(os.fspath(tmp_path)).image("images/x").record(0, 0).data().tolist() == pixels

    def test_a_shape_must_fit_the_numbers(self, tmp_path: Path) -> None:
        image = LogWriter(tmp_path, sync_cycle=1).image("images/x", 1)
        with pytest.raises(RuntimeError, match="start_sampling"):
            image.add_sample([2, 2], [1, 2, 3, 4])

        image.start_sampling()
        with pytest.raises(ValueError, match="4 numbers, not 3"):
            image.add_sample([2, 2], [1, 2, 3])
        image.start_sampling()  # of further samples in one step only some are looked at
        with pytest.raises(ValueError, match="height, width"):
            image.add_sample([4], [1, 2, 3, 4])

    def test_sounds_are_bytes_with_their_rate_width_and_channels(self, tmp_path: Path) -> None:
        with LogWriter(tmp_path, sync_cycle=1) as logger:
            audio = logger.audio("audio/tone", 1)
            audio.start_sampling()
            audio.add_sample([8000, 2, 1], list(range(200)))
            audio.finish_sampling()

        record = LogReader(os.fspath(tmp_path)).audio("audio/tone").record(0, 0)
        assert (record.shape(), record.data().tolist()) == ([8000, 2, 1], list(range(200)))


def test_texts_embeddings_and_captions(tmp_path: Path) -> None:
    with LogWriter(tmp_path, sync_cycle=1) as logger:
        notes = logger.text("notes")
        notes.add_record(4, "损失")
        notes.set_caption("what happened")
        logger.embedding().add_embeddings_with_word_dict([[1.0, 2.0], [3.0, 4.0]], {"b": 1, "a": 0})

    reader = LogReader(os.fspath(tmp_path))
    words = reader.embedding()
    assert (reader.text("notes").ids(), reader.text("notes").records()) == ([4], ["损失"])
    assert reader.text("notes").caption() == "what happened"
    assert reader.tags("text") == ["notes"]
    assert (words.get_all_labels(), words.get_all_embeddings()) == (["a", "b"], [[1.0, 2.0], [3.0, 4.0]])
    assert words.get_dimension() == 2


@pytest.mark.parametrize("mode", ["", "a/b", "a%b", ".."])
def test_modes_are_plain_names(tmp_path: Path, mode: str) -> None:
    with pytest.raises(ValueError, match="mode"):
        LogWriter(tmp_path, sync_cycle=1).mode(mode)


@pytest.mark.parametrize("tag", ["", "a%b", "embedding"])
def test_some_tags_are_reserved(tmp_path: Path, tag: str) -> None:
    with pytest.raises(ValueError, match="tag"):
        LogWriter(tmp_path, sync_cycle=1).scalar(tag)


def test_an_unknown_tag_says_so(tmp_path: Path) -> None:
    with pytest.raises(KeyError, match="no scalar 'loss'"):
        LogReader(os.fspath(tmp_path)).scalar("loss")
