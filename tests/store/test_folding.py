"""Folders that add_scalars made are known by their names."""

from __future__ import annotations

import pytest

from mindinsight_like.store.series.folding import source_in


@pytest.mark.parametrize(
    ("run", "parent", "tag", "source"),
    [
        pytest.param("run/loss_train", "run", "loss", "train", id="torch"),
        pytest.param("run/all_pair_sin", "run", "all/pair", "sin", id="torch, tag with a slash"),
        pytest.param("run/all/pair/sin", "run", "all/pair", "sin", id="tensorboardX"),
        pytest.param("all_pair_sin", ".", "all/pair", "sin", id="torch, base dir is the run"),
        pytest.param("all/pair/sin", ".", "all/pair", "sin", id="tensorboardX, base dir is the run"),
        pytest.param("run/loss_a_b", "run", "loss", "a_b", id="key with an underscore"),
        pytest.param("run/loss/a/b", "run", "loss", "a/b", id="key with a slash"),
        pytest.param("run/lr_损失", "run", "lr", "损失", id="key in another script"),
        pytest.param("run", "run", "loss", None, id="the run itself"),
        pytest.param("run/loss", "run", "loss", None, id="no key"),
        pytest.param("run/loss_", "run", "loss", None, id="an empty key"),
        pytest.param("run/train", "run", "loss", None, id="an ordinary run below"),
        pytest.param("other/loss_train", "run", "loss", None, id="below another run"),
        pytest.param("runs/loss_train", "run", "loss", None, id="parent's name is only a beginning"),
        pytest.param("run/loss_train", "run", "accuracy", None, id="another tag"),
    ],
)
def test_the_key_of_a_folder(run: str, parent: str, tag: str, source: str | None) -> None:
    assert source_in(run, parent, tag) == source
