"""YAML files are data: nothing is made of tags, and what aliases stand for is bounded."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindinsight_like.trackers.files.yaml_documents import MOST_BYTES, YamlUnreadable, parse


def test_plain_values() -> None:
    text = "a: 1\nb: [x, 2.5, null, true]\n名: 值\nd: 2020-01-02\n3: c\nn: .nan\ni: -.inf\n"

    found = parse(text.encode())

    assert repr(found) == repr(
        {
            "a": 1,
            "b": ["x", 2.5, None, True],
            "名": "值",
            "d": "2020-01-02",
            "3": "c",
            "n": float("nan"),
            "i": -float("inf"),
        }
    )


def test_tags_make_nothing() -> None:
    text = "a: !!python/tuple [1, 2]\nb: !!python/object/apply:os.system [ls]\nc: !Mine {x: 1}\n"
    text += "d: !!python/name:os.system x\n"

    assert parse(text.encode()) == {"a": [1, 2], "b": ["ls"], "c": {"x": 1}, "d": "x"}


def test_aliases_are_values() -> None:
    assert parse(b"a: &x [1, 2]\nb: *x\n") == {"a": [1, 2], "b": [1, 2]}


@pytest.mark.parametrize(
    "content",
    [
        b"a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"
        + b"".join(f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 10)}]\n".encode() for n in range(1, 9)),
        b"a: &a [*a]\n",
        b"[" * 100_000,
        b"- " * 100_000,
        b"a: [1\n",
        b"\xff\xfe\x00",
        b"x" * (MOST_BYTES + 1),
        b"a: 2020-99-99\n",
        b"? {a: 1}\n: 2\n",
    ],
    ids=["bomb", "cycle", "deep", "deep blocks", "cut", "bytes", "long", "date", "key"],
)
def test_what_is_no_document_is_said(content: bytes) -> None:
    with pytest.raises(YamlUnreadable):
        parse(content)


def test_merge_keys_stay_keys() -> None:
    bomb = b"a0: &a0 {x: 1}\n" + b"".join(
        f"a{n}: &a{n} {{<<: [{','.join([f'*a{n - 1}'] * 10)}]}}\n".encode() for n in range(1, 9)
    )

    with pytest.raises(YamlUnreadable):
        parse(bomb)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_document_or_not(content: bytes) -> None:
    with contextlib.suppress(YamlUnreadable):
        parse(content)


def test_nothing_is_nothing() -> None:
    assert parse(b"") is None
