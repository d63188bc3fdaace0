"""Numbers and arrays come out of the tensors of every framework that this environment has, of every type.

Run in any environment with mindinsight_like and at least one of torch, paddle, mindspore, jax, tensorflow, pandas.
"""

import importlib
import sys

import numpy as np

from mindinsight_like.writers.encoding.values import to_array, to_number

DATA = [[0, 1, 2], [3, 4, 5]]
TYPES = ("float16", "bfloat16", "float32", "float64", "int8", "uint8", "int32", "int64", "bool")


def torch_tensors(torch):
    """Name, tensor, expected."""
    for name in TYPES:
        yield (
            name,
            torch.tensor(DATA).to(getattr(torch, name)),
            np.array(DATA, dtype="bool" if name == "bool" else None),
        )
    base = torch.tensor(DATA, dtype=torch.float32, requires_grad=True)
    yield "gradient", base, np.array(DATA)
    yield "parameter", torch.nn.Parameter(torch.tensor(DATA, dtype=torch.float32)), np.array(DATA)
    yield "computed", base * 2, np.array(DATA) * 2
    yield "transposed", base.t(), np.array(DATA).T
    yield "sparse", base.detach().to_sparse(), np.array(DATA)
    yield "conjugate", torch.tensor([1 + 2j]).conj(), np.array([1 - 2j])
    yield "list", [torch.tensor(row) for row in DATA], np.array(DATA)
    yield "number", torch.tensor(3.5, dtype=torch.bfloat16), np.array(3.5)


def paddle_tensors(paddle):
    for name in TYPES:
        yield name, paddle.to_tensor(DATA).astype(name), np.array(DATA, dtype="bool" if name == "bool" else None)
    base = paddle.to_tensor(DATA, dtype="float32", stop_gradient=False)
    yield "gradient", base, np.array(DATA)
    yield "computed", base * 2, np.array(DATA) * 2
    yield "number", paddle.to_tensor(3.5), np.array(3.5)
    yield "list", [paddle.to_tensor(row) for row in DATA], np.array(DATA)


def mindspore_tensors(mindspore):
    for name in TYPES:
        kind = getattr(mindspore, "bool_" if name == "bool" else name)
        yield name, mindspore.Tensor(DATA).astype(kind), np.array(DATA, dtype="bool" if name == "bool" else None)
    yield "parameter", mindspore.Parameter(mindspore.Tensor(DATA, mindspore.float32), name="x"), np.array(DATA)
    yield "number", mindspore.Tensor(3.5, mindspore.float32), np.array(3.5)


def jax_tensors(jax):
    for name in ("float16", "bfloat16", "float32", "int8", "uint8", "int32", "bool"):
        yield name, jax.numpy.array(DATA, dtype=name), np.array(DATA, dtype="bool" if name == "bool" else None)
    yield "number", jax.numpy.float32(3.5), np.array(3.5)


def tensorflow_tensors(tensorflow):
    for name in TYPES:
        yield name, tensorflow.cast(DATA, name), np.array(DATA, dtype="bool" if name == "bool" else None)
    yield "variable", tensorflow.Variable(DATA, dtype="float32"), np.array(DATA)
    yield "number", tensorflow.constant(3.5), np.array(3.5)


def pandas_tensors(pandas):
    yield "frame", pandas.DataFrame(DATA), np.array(DATA)
    yield "column", pandas.Series(DATA[0]), np.array(DATA[0])
    yield "number", pandas.Series([3.5]), np.array([3.5])


FRAMEWORKS = {
    "torch": torch_tensors,
    "paddle": paddle_tensors,
    "mindspore": mindspore_tensors,
    "jax": jax_tensors,
    "tensorflow": tensorflow_tensors,
    "pandas": pandas_tensors,
}


def main():
    """The exit status."""
    failures = 0
    for name, tensors in FRAMEWORKS.items():
        try:
            framework = importlib.import_module(name)
        except ImportError:
            continue
        if name == "jax":
            importlib.import_module("jax.numpy")
        for kind, tensor, expected in tensors(framework):
            problem = _problem(tensor, expected)
            failures += problem is not None
            print(f"{name} {framework.__version__:14} {kind:12} {problem or 'same'}")
    return 1 if failures else 0


def _problem(tensor, expected):
    try:
        found = to_array(tensor)
        if found.shape != expected.shape or not np.allclose(found, expected):
            return f"gives {found!r}"
        if expected.size == 1 and expected.dtype.kind != "c" and to_number(tensor) != expected.item():
            return f"gives {to_number(tensor)!r}"
    except Exception as error:
        return f"raises {error!r}"
    return None


if __name__ == "__main__":
    sys.exit(main())
