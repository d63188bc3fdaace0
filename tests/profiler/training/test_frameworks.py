"""Which framework trains, and which rank this is, as far as a process can tell."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from mindinsight_like.profiler.process.identity import this_process
from mindinsight_like.profiler.training.frameworks import training_framework


def modules(*names: str, keras: str = "", has_jax_begun: bool = False) -> dict[str, ModuleType]:
    found = {name: ModuleType(name) for name in names}
    if keras:
        found["keras"] = ModuleType("keras")
        found["keras"].backend = SimpleNamespace(backend=lambda: keras)  # type: ignore[attr-defined]
    if "jax" in found:
        found["jax._src.xla_bridge"] = ModuleType("jax._src.xla_bridge")
        found["jax._src.xla_bridge"].backends_are_initialized = lambda: has_jax_begun  # type: ignore[attr-defined]
    return found


@pytest.mark.parametrize(
    ("imported", "script", "expected"),
    [
        (modules(), [], "none"),
        (modules("jax"), [], "jax"),
        (modules("torch", "mindspore"), ["torch"], "mindspore"),
        (modules("paddle", "jax"), [], "paddle"),
        # TensorFlow imports JAX by itself.
        (modules("tensorflow", "jax"), ["tensorflow"], "tensorflow"),
        (modules("tensorflow", "jax"), [], "tensorflow"),
        (modules("tensorflow", "jax", has_jax_begun=True), [], "jax"),
        (modules("tensorflow", "jax"), ["tensorflow", "jax"], "jax"),  # which takes its data from tf.data
        (modules("tensorflow", "jax"), ["flax"], "jax"),
        # TensorBoard imports TensorFlow by itself.
        (modules("torch", "tensorflow", "jax"), ["torch"], "torch"),
        (modules("torch", "tensorflow", "jax"), ["lightning"], "torch"),
        (modules("torch", "tensorflow", "jax"), [], "torch"),
        (modules("tensorflow", "jax", keras="tensorflow"), ["keras"], "tensorflow"),
        (modules("tensorflow", "jax", keras="jax"), ["keras"], "jax"),
        (modules("tensorflow", "jax", "torch", keras="jax"), ["keras", "torch"], "jax"),
        (modules("tensorflow", "jax", "torch", keras="torch"), ["keras"], "torch"),
        (modules("tensorflow", "jax", "torch", keras="tensorflow"), ["torch"], "torch"),
        (modules("tensorflow", "jax", keras="numpy"), [], "tensorflow"),
        (modules("tensorflow", "jax", "tf_keras"), ["tf_keras"], "tensorflow"),
    ],
)
def test_the_framework_that_trains_is_chosen(imported: dict[str, ModuleType], script: list[str], expected: str) -> None:
    names = {f"name{number}": ModuleType(f"{name}.inner") for number, name in enumerate(script)}

    assert training_framework(imported, {**names, "steps": 3}) == expected


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in ("RANK", "WORLD_SIZE", "RANK_ID", "RANK_SIZE", "SLURM_PROCID", "SLURM_NTASKS"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


def _module(monkeypatch: pytest.MonkeyPatch, name: str, **content: Any) -> None:
    module = ModuleType(name)
    vars(module).update(content)
    monkeypatch.setitem(sys.modules, name, module)


def test_frameworks_tell_ranks_that_no_variable_tells(alone: pytest.MonkeyPatch) -> None:
    assert (this_process().rank, this_process().ranks) == (0, 1)

    state = SimpleNamespace(client=object(), process_id=3, num_processes=4)
    _module(alone, "jax._src.distributed", global_state=state)
    assert (this_process().rank, this_process().ranks) == (3, 4)

    calls = {"get_rank": lambda: 1, "get_group_size": lambda: 8}
    _module(alone, "mindspore.communication", GlobalComm=SimpleNamespace(INITED=True), **calls)
    assert (this_process().rank, this_process().ranks) == (1, 8)

    is_connected = [False]
    calls = {"is_available": lambda: True, "is_initialized": lambda: is_connected[0]}
    _module(alone, "torch.distributed", **calls, get_rank=lambda: 5, get_world_size=lambda: 6)
    assert this_process().rank == 1
    is_connected[0] = True
    alone.setenv("SLURM_PROCID", "0")  # the same for all processes that one task has spawned
    assert (this_process().rank, this_process().ranks) == (5, 6)
