"""Numbers and arrays are taken from whatever holds them; what holds none is refused with a reason."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from PIL import Image

from mindinsight_like.writers.encoding.values import owned, to_array, to_number

DATA = np.arange(6, dtype=np.float32).reshape(2, 3)


class TorchLike:
    """A tensor as torch has them: on a device, with gradients, perhaps of a type that numpy lacks."""

    def __init__(self, data: np.ndarray[Any, Any], dtype: str = "torch.float32", *, state: str = "gradient") -> None:
        self._data, self.dtype, self._state, self.shape = data, dtype, state, data.shape

    def detach(self) -> TorchLike:
        return TorchLike(self._data, self.dtype, state="device")

    def cpu(self) -> TorchLike:
        assert self._state == "device"
        return TorchLike(self._data, self.dtype, state="plain")

    def float(self) -> TorchLike:
        return TorchLike(self._data.astype(np.float32), "torch.float32", state=self._state)

    def is_floating_point(self) -> bool:
        return True

    def item(self) -> Any:
        return self._data.item()

    def numpy(self) -> np.ndarray[Any, Any]:
        if self._state != "plain" or self.dtype == "torch.bfloat16":
            raise TypeError("detach, bring to the processor and widen first")
        return self._data


class PaddleLike:
    """Hands bfloat16 out as the bits of uint16."""

    def __init__(self, data: np.ndarray[Any, Any], dtype: str) -> None:
        self._data, self.dtype, self.shape = data, dtype, list(data.shape)

    def astype(self, name: str) -> PaddleLike:
        return PaddleLike(self._data.astype(name), f"paddle.{name}")

    def numpy(self) -> np.ndarray[Any, Any]:
        return self._data.astype(np.uint16) if "bfloat16" in self.dtype else self._data


class MindSporeLike:
    def __init__(self, data: np.ndarray[Any, Any]) -> None:
        self._data, self.dtype, self.shape = data, "Float32", data.shape

    def asnumpy(self) -> np.ndarray[Any, Any]:
        return self._data


class CupyLike:
    __cuda_array_interface__: dict[str, Any] = {}  # noqa: RUF012 - only its presence counts

    def __init__(self, data: np.ndarray[Any, Any]) -> None:
        self._data, self.dtype, self.shape = data, data.dtype, data.shape

    def get(self) -> np.ndarray[Any, Any]:
        return self._data

    def __array__(self) -> np.ndarray[Any, Any]:
        raise TypeError("use get")


class JaxLike:
    def __init__(self, data: np.ndarray[Any, Any]) -> None:
        self._data, self.dtype, self.shape = data, data.dtype, data.shape

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return self._data


class OnlyDlpack:
    def __init__(self, data: np.ndarray[Any, Any]) -> None:
        self._data = data

    def __dlpack__(self, **options: Any) -> Any:
        return self._data.__dlpack__()

    def __dlpack_device__(self) -> Any:
        return self._data.__dlpack_device__()


class SeriesLike(JaxLike):
    """A column of pandas: its `get` asks for a key."""

    def get(self, key: str) -> None:
        raise KeyError(key)


TENSORS = [
    DATA,
    DATA.tolist(),
    [list(row) for row in DATA],
    TorchLike(DATA),
    TorchLike(DATA, "torch.bfloat16"),
    [TorchLike(row) for row in DATA],
    PaddleLike(DATA, "paddle.float32"),
    PaddleLike(DATA, "paddle.bfloat16"),
    MindSporeLike(DATA),
    CupyLike(DATA),
    JaxLike(DATA),
    SeriesLike(DATA),
    OnlyDlpack(DATA),
]


@pytest.mark.parametrize("tensor", TENSORS, ids=lambda tensor: type(tensor).__name__)
def test_arrays_are_taken_from_the_tensors_of_every_framework(tensor: Any) -> None:
    assert to_array(tensor).tolist() == DATA.tolist()


def test_arrays_are_taken_from_pillow_images() -> None:
    pixels = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)

    assert (to_array(Image.fromarray(pixels)) == pixels).all()


@pytest.mark.parametrize("value", ["text", None, {"a": 1}, object(), ["a", "b"], np.array(["a"]), b"bytes"])
def test_what_holds_no_numbers_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="expected numbers"):
        to_array(value)


def test_lists_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="rows differ in length"):
        to_array([[1, 2], [3]])


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (0.5, 0.5),
        (3, 3.0),
        (True, 1.0),
        (np.float16(0.5), 0.5),
        (np.int64(-7), -7.0),
        (np.bool_(True), 1.0),
        (np.array(2.5), 2.5),
        (np.array([[2.5]]), 2.5),
        ([4], 4.0),
        (TorchLike(np.array([1.5])), 1.5),
        (PaddleLike(np.array([1.5]), "paddle.float32"), 1.5),
        (MindSporeLike(np.array(1.5)), 1.5),
        (CupyLike(np.array(1.5)), 1.5),
        (JaxLike(np.array(1.5)), 1.5),
        (math.inf, math.inf),
    ],
    ids=lambda value: type(value).__name__,
)
def test_single_numbers_are_taken_from_anything(value: Any, number: float) -> None:
    assert to_number(value) == number
    assert type(to_number(value)) is float


@pytest.mark.parametrize(
    ("value", "error", "reason"),
    [
        (DATA, ValueError, r"expected one number, not an array of shape \(2, 3\)"),
        ([], ValueError, r"shape \(0,\)"),
        (TorchLike(DATA), ValueError, r"shape \(2, 3\)"),
        ("0.5", TypeError, "not str '0.5'"),
        (None, TypeError, "not NoneType"),
        (1j, TypeError, "real number"),
        (np.complex64(1j), TypeError, "real number"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_not_one_number_is_refused(value: Any, error: type[Exception], reason: str) -> None:
    with pytest.raises(error, match=reason):
        to_number(value)


def test_an_array_is_copied_only_when_it_shares_its_memory() -> None:
    given = np.arange(3.0)
    fresh = given * 2

    assert owned(given, given) is not given
    assert owned(to_array(given[1:]), given) is not given
    assert owned(fresh, given) is fresh


@pytest.mark.parametrize(
    "value", [np.longdouble(0.25), np.array([0.25], np.longdouble), np.array(0.25, np.longdouble), Fraction(1, 4)]
)
def test_real_numbers_of_any_type_are_taken(value: object) -> None:
    assert to_number(value) == 0.25
