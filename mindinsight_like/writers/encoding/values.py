"""Convert numbers and arrays of any framework to numpy, without importing the framework."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[Any]


def to_number(value: Any) -> float:
    """One number out of a number, an array or tensor (on any device) with one element, or a list with one number.

    Raises TypeError for what is no number, ValueError for none or several.
    """
    if isinstance(value, (float, int)):
        return float(value)
    if isinstance(value, Real):  # numpy.longdouble among them, whose item() is itself; fractions
        return float(value)
    item = getattr(value, "item", None)
    if item is None or _count(value) != 1:
        array = to_array(value)
        if array.size != 1:
            raise ValueError(f"expected one number, not an array of shape {array.shape}")
        item = array.item
    number = item()
    if isinstance(number, Real):
        return float(number)
    raise TypeError(f"expected a real number, not {_describe_type(value)}")


def to_array(value: Any) -> Array:
    """A numpy array of numbers or booleans; the very memory of the value where that is possible.

    Takes numpy arrays, numbers, nested lists, Pillow images, and the tensors of torch, paddle, mindspore, tensorflow,
    jax, cupy and everything that offers `__array__` or `__dlpack__`. What the value is part of (gradients, devices)
    does not matter. bfloat16 becomes float32. Raises TypeError for what holds no numbers.
    """
    import numpy as np

    if isinstance(value, np.ndarray):
        array = value
    elif isinstance(value, (list, tuple)):
        array = _array_of(value)
    else:
        array = _convert_tensor(value)
    if array.dtype.kind in "biufc":
        return array
    if array.dtype.kind == "V" or array.dtype.name in ("bfloat16", "float8_e4m3fn", "float8_e5m2"):
        try:
            return array.astype(np.float32)  # the ml_dtypes package teaches numpy these types
        except (TypeError, ValueError):
            pass
    raise TypeError(f"expected numbers, not {_describe_type(value)}")


def owned(array: Array, source: object) -> Array:
    """The array in memory of its own; a copy only where it shares that of the value it was taken from."""
    import numpy as np

    is_shared = array is source or array.base is not None or not array.flags.owndata
    return np.array(array) if is_shared else array


def _convert_tensor(value: Any) -> Array:
    import numpy as np

    for convert in (_from_torch, _from_numpy_method, _from_asnumpy, _from_get):
        array = convert(value)
        if array is not None:
            return array
    if hasattr(value, "__array__") or hasattr(value, "__array_interface__") or isinstance(value, (int, float, complex)):
        return np.asarray(value)
    if hasattr(value, "__dlpack__"):
        return np.from_dlpack(value)
    raise TypeError(f"expected numbers, not {_describe_type(value)}")


def _from_torch(value: Any) -> Array | None:
    if not all(hasattr(value, name) for name in ("detach", "cpu", "numpy", "is_floating_point")):
        return None
    tensor = value.detach()
    if getattr(tensor, "is_quantized", False) is True:
        tensor = tensor.dequantize()
    if str(getattr(tensor, "layout", "")).startswith("torch.sparse"):
        tensor = tensor.to_dense()
    tensor = tensor.cpu()
    for resolve in ("resolve_conj", "resolve_neg"):
        if hasattr(tensor, resolve):
            tensor = getattr(tensor, resolve)()
    return _checked(_widened(tensor, "float").numpy())


def _from_numpy_method(value: Any) -> Array | None:
    if not callable(getattr(value, "numpy", None)):
        return None
    return _checked(_widened(value, "astype", "float32").numpy())


def _from_asnumpy(value: Any) -> Array | None:
    if not callable(getattr(value, "asnumpy", None)):
        return None
    return _checked(_widened(value, "float").asnumpy())


def _from_get(value: Any) -> Array | None:
    # cupy's arrays leave their device by `get` alone, and refuse `__array__`
    if not hasattr(value, "__cuda_array_interface__") or not callable(getattr(value, "get", None)):
        return None
    return _checked(value.get())


def _widened(tensor: Any, method: str, *arguments: str) -> Any:
    """The tensor in single precision if numpy does not know its type; some hand out the bare bits instead."""
    is_narrow = any(name in str(getattr(tensor, "dtype", "")).lower() for name in ("bfloat16", "float8"))
    return getattr(tensor, method)(*arguments) if is_narrow and hasattr(tensor, method) else tensor


def _array_of(values: list[Any] | tuple[Any, ...]) -> Array:
    import numpy as np

    if any(not isinstance(value, (int, float, list, tuple, np.ndarray, np.generic)) for value in values):
        values = [to_array(value) for value in values]
    try:
        return np.asarray(values)
    except ValueError as error:
        raise ValueError("rows differ in length; expected a rectangular array") from error


def _checked(array: Any) -> Array | None:
    import numpy as np

    return np.asarray(array) if isinstance(array, (np.ndarray, np.generic)) else None


def _count(value: Any) -> int | None:
    """How many elements a tensor has; None when it does not say so."""
    shape = getattr(value, "shape", None)
    if shape is None:
        return None
    count = 1
    for length in shape:
        count *= int(length)
    return count


def _describe_type(value: Any) -> str:
    kind = type(value)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    dtype = getattr(value, "dtype", None)
    text = f" {value!r}" if isinstance(value, (str, bytes)) and len(value) < 40 else ""
    return f"{name}{text}" + (f" of {dtype}" if dtype is not None else "")
