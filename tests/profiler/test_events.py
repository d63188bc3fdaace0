"""The scanner of trace events against json.loads, on whole, cut and damaged files; native and twin alike."""

from __future__ import annotations

import gzip
import json
import random
import re
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindinsight_like.profiler.traces import events
from mindinsight_like.profiler.traces.event_rows import ABSENT, Events, Kind, Rows
from mindinsight_like.profiler.traces.files import Files
from mindinsight_like.profiler.traces.reference import events as events_twin

ARGUMENTS = {"correlation": Kind.INTEGER, "Input Dims": Kind.TEXT, "share": Kind.DECIMAL, "start_time": Kind.TIME}
SCANNERS = [events_twin.EventScanner]
if events.NATIVE:
    from mindinsight_like.profiler.traces._events import EventScanner as NativeScanner

    SCANNERS.append(NativeScanner)

scanners = pytest.mark.parametrize("scanner", SCANNERS, ids=["twin", "native"][: len(SCANNERS)])


def scan(scanner: Any, content: bytes, piece: int = 2**20) -> Events:
    """The content, fed in pieces of this size."""
    reading = scanner([(key.encode(), int(kind)) for key, kind in ARGUMENTS.items()])
    rest, place = b"", 0
    while True:
        fresh = content[place : place + piece]
        place += len(fresh)
        rest += fresh
        done = reading.feed(rest, at_end=not fresh)
        assert 0 <= done <= len(rest)
        rest = rest[done:]
        if not fresh:
            return events.events_of(reading.take(), list(ARGUMENTS), len(content))


def plain(found: Events) -> dict[str, Any]:
    """All that was found, without numbers of texts and tracks."""

    def text(number: int) -> str | None:
        return None if number < 0 else found.texts[number]

    def values(rows: Rows, name: str) -> list[tuple[int, object]]:
        given = rows.arguments[name]
        read = [text(v) for v in given.value.tolist()] if ARGUMENTS[name] == Kind.TEXT else given.value.tolist()
        return list(zip(given.row.tolist(), read, strict=True))

    def table(rows: Rows) -> dict[str, Any]:
        identity = [v if v > -2 else f"text {text(-2 - v)}" for v in rows.identity.value.tolist()]
        return {
            "phase": rows.phase.tolist(),
            "time": rows.time.tolist(),
            "duration": rows.duration.tolist(),
            "track": [found.tracks[track] for track in rows.track.tolist()],
            "name": [text(name) for name in rows.name.tolist()],
            "category": [text(name) for name in rows.category.tolist()],
            "place": rows.place.tolist(),
            "identity": list(zip(rows.identity.row.tolist(), identity, strict=True)),
            "arguments": {name: values(rows, name) for name in ARGUMENTS},
        }

    counters = found.counters
    return {
        "slices": table(found.slices),
        "others": table(found.others),
        "counters": [
            (row, text(name), value)
            for row, name, value in zip(
                counters.row.tolist(), counters.name.tolist(), counters.value.tolist(), strict=True
            )
        ],
        "root": found.root,
        "is_cut": found.is_cut,
        "cut_bytes": found.cut_bytes,
        "damages": found.damages,
        "damage": [(damage.place, damage.bytes) for damage in found.damage],
        "nameless": found.nameless,
    }


# --- against json.loads ----------------------------------------------------------------------------------------------


def nanoseconds(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, Decimal, str)):
        return ABSENT
    try:
        number = (Decimal(str(value)) * 1000).quantize(Decimal(1), ROUND_HALF_UP)
    except ArithmeticError:
        return ABSENT
    return int(number) if abs(number) < 2**63 else ABSENT


def as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def oracle(listed: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """What the events of a list are, read the slow way."""
    found = []
    for event in listed:
        given = event.get("args", {})
        name = event.get("name")
        found.append(
            (
                event["ph"],
                nanoseconds(event.get("ts")),
                nanoseconds(event.get("dur")),
                (as_text(event.get("pid", "")), as_text(event.get("tid", ""))),
                None if name is None else as_text(name),
                given.get("correlation"),
                None if "Input Dims" not in given else json.loads(json.dumps(given["Input Dims"], default=str)),
            )
        )
    return found


def read(found: Events) -> list[tuple[Any, ...]]:
    """The same of what the scanner found, in the order of the file."""
    rows = []
    for table in (found.slices, found.others):
        correlation = dict(
            zip(table.arguments["correlation"].row.tolist(), table.arguments["correlation"].value.tolist(), strict=True)
        )
        shape = dict(
            zip(table.arguments["Input Dims"].row.tolist(), table.arguments["Input Dims"].value.tolist(), strict=True)
        )
        for row in range(len(table)):
            text = found.texts[shape[row]] if row in shape else None
            name = int(table.name[row])
            rows.append(
                (
                    int(table.place[row]),
                    (
                        chr(table.phase[row]),
                        int(table.time[row]),
                        int(table.duration[row]),
                        found.tracks[table.track[row]],
                        None if name < 0 else found.texts[name],
                        correlation.get(row),
                        None if text is None else json.loads(text),
                    ),
                )
            )
    return [event for _, event in sorted(rows, key=lambda each: each[0])]


times = st.one_of(
    st.integers(0, 2**53),
    st.decimals(0, 10**15, places=3),
    st.decimals(0, 10**10, places=9),
    st.sampled_from([Decimal("1.5E+6"), Decimal("25E-4"), Decimal("1794789429819702.027"), 2**70]),
)
names = st.text(max_size=20)
shapes = st.lists(st.lists(st.integers(0, 999), max_size=3), max_size=3)
tracks = st.one_of(st.integers(-5, 2**40), st.text('ab \u00e9"\\', max_size=5))
trace_events = st.builds(
    lambda ph, required, optional, arguments: {"ph": ph, **required, **optional, "args": arguments},
    st.sampled_from("XXXisftCMBE"),
    st.fixed_dictionaries({"ts": times, "pid": tracks, "tid": tracks}),
    st.fixed_dictionaries({}, optional={"dur": times, "name": names, "cat": names, "id": st.integers(0, 2**62)}),
    st.fixed_dictionaries(
        {},
        optional={
            "correlation": st.integers(-(2**63), 2**63 - 1),
            "Input Dims": shapes,
            "other": st.recursive(st.none() | st.booleans() | names, lambda inner: st.lists(inner, max_size=3)),
        },
    ),
)


def written(listed: list[dict[str, Any]], style: dict[str, Any], *, is_bare: bool, ending: str) -> bytes:
    body = json.dumps(listed, default=lambda number: f"<decimal {number}>", **style)
    body = re.sub('"<decimal ([^>]*)>"', r"\1", body)  # digit by digit, not as floats
    if listed:
        body = body[:-1].rstrip() + ending + "]"
    whole = body if is_bare else f'{{"schemaVersion": 1, "traceEvents": {body}, "distributedInfo": {{"rank": 3}}}}'
    return whole.encode("utf-8", "surrogatepass")


styles = st.fixed_dictionaries(
    {
        "indent": st.sampled_from([None, 1, "\t"]),
        "separators": st.sampled_from([(",", ":"), (" , ", " : "), (",\r\n", ": ")]),
        "ensure_ascii": st.booleans(),
        "sort_keys": st.booleans(),
    }
)


@settings(max_examples=100)
@given(st.lists(trace_events, max_size=6), styles, st.booleans(), st.sampled_from(["", ",", " , {} "]), st.data())
def test_everything_is_read_as_json_has_it(
    listed: list[dict[str, Any]], style: dict[str, Any], is_bare: bool, ending: str, data: st.DataObject
) -> None:
    content = written(listed, style, is_bare=is_bare, ending=ending)
    piece = data.draw(st.integers(1, len(content) + 1))
    results = [scan(scanner, content, size) for scanner in SCANNERS for size in (piece, 2**20)]
    for found in results:
        assert read(found) == oracle(listed)
        assert (found.is_cut, found.damages) == (False, 0)
        assert found.root == ({} if is_bare else {"schemaVersion": 1, "distributedInfo": {"rank": 3}})
        assert plain(found) == plain(results[0])


values: st.SearchStrategy[Any] = st.sampled_from(
    [
        *(0, 10, 1000, 10001, 10**17, 10**18, 7.5, None, True, [1, [2]], [1, [2], 3], {"a": {}}),
        *("", "a", "ab", 'a"b', "a\\", "1000", "x" * 40),
    ]
)
keys = st.sampled_from(["name", "cat", "pid", "tid", "id", "args", "na", "bp", "n" * 40, 'q"', ""])
arguments = st.dictionaries(st.sampled_from([*ARGUMENTS, "other", "Input", "s" * 40]), values, max_size=5)
similar_events = st.builds(
    lambda pairs, given: {"ph": "X", "ts": 1, **dict(pairs), "args": given},
    st.lists(st.tuples(keys, values), max_size=6),
    arguments,
)


@settings(max_examples=200)
@given(
    st.lists(similar_events, min_size=1, max_size=3),
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 20), values), min_size=10, max_size=40),
    styles,
    st.data(),
)
@pytest.mark.skipif(not events.NATIVE, reason="only the twin is here")
def test_what_was_read_before_does_not_change_what_is_read(
    kinds: list[dict[str, Any]], chosen: list[tuple[int, int, Any]], style: dict[str, Any], data: st.DataObject
) -> None:
    listed = []
    for kind, place, value in chosen:  # like one before, often with another value somewhere
        event = dict(kinds[kind % len(kinds)])
        event["args"] = dict(event["args"])
        for part in (event, event["args"]):
            changed = list(part)[place : place + 1]
            part.update({key: value for key in changed if key not in ("ph", "args")})
        listed.append(event)
    content = written(listed, style, is_bare=True, ending="")
    piece = data.draw(st.integers(1, len(content) + 1))
    twin = scan(events_twin.EventScanner, content)
    assert (len(twin.slices), twin.damages) == (len(listed), 0)
    for size in (piece, 2**20):
        native = scan(NativeScanner, content, size)
        assert plain(native) == plain(twin)
        assert native.texts == twin.texts


# --- numbers ---------------------------------------------------------------------------------------------------------


@scanners
@pytest.mark.parametrize(
    ("token", "expected"),
    [
        ("3933524978475.644", 3933524978475644),
        ('"1794789429819702.027"', 1794789429819702027),
        ("1794790625835560", 1794790625835560000),
        ("21492.699999999997", 21492700),
        ("0.0005", 1),
        ("-0.0004999", 0),
        ("-2.5", -2500),
        ("1e3", 1000000),
        ("1.25E-2", 13),
        ("1e-400", 0),
        ("0e99999999999", 0),
        ("9223372036854775.807", 2**63 - 1),
        ("9223372036854775.8074", 2**63 - 1),
        ("9223372036854775.8075", ABSENT),
        ("1994790625835560.1235", 1994790625835560124),
        ("0000000000000000000000000000012.5", 12500),
        ("1e300", ABSENT),
        ("NaN", ABSENT),
        ("-Infinity", ABSENT),
        ("null", ABSENT),
        ("true", ABSENT),
        ('""', ABSENT),
        ('"48.642 us"', 48642),
        ("[1]", ABSENT),
        (".", ABSENT),
        (".5", 500),
        ("5.", 5000),
        ("12345678", 12345678000),
        ("12345678.9", 12345678900),
        ("123456789012345.67", 123456789012345670),
        ("1234567890123456.789", 1234567890123456789),
        ("1.2345", 1235),
    ],
)
def test_times_are_read_digit_by_digit(scanner: Any, token: str, expected: int) -> None:
    found = scan(scanner, f'[{{"ph":"X","ts":{token},"args":{{"start_time":{token}}}}}]'.encode())
    assert found.slices.time.tolist() == [expected]
    given = found.slices.arguments["start_time"].value.tolist()
    assert given == ([] if expected == ABSENT else [expected])


@scanners
@pytest.mark.parametrize(
    ("token", "integer", "decimal"),
    [
        ("7", 7, 7.0),
        ("123456789012345678", 123456789012345678, 123456789012345678.0),
        ("1234567890123456789", 1234567890123456789, 1234567890123456789.0),
        ("9999999999999999999", 9999999999999999999 - 2**64, 1e19),
        ('"139947818536960"', 139947818536960, 139947818536960.0),
        ("18446744073709551615", -1, 1.8446744073709552e19),
        ("18446744073709551616", None, 1.8446744073709552e19),
        ("-9223372036854775808", -(2**63), -9.223372036854775808e18),
        ("4.0", 4, 4.0),
        ("1e2", 100, 100.0),
        ('"0x10"', None, 0.0),
        ("0.1", 0, 0.1),
        ("0.30000000000000004", 0, 0.30000000000000004),
        ("1.7976931348623157e308", None, 1.7976931348623157e308),
        ("1e999", None, None),
        ("5e-324", 0, 5e-324),
        ("NaN", None, None),
        ("null", None, None),
        ('"7 %"', None, 7.0),
        ("1" + "0" * 500, None, None),
    ],
)
def test_integers_and_decimals(scanner: Any, token: str, integer: int | None, decimal: float | None) -> None:
    found = scan(scanner, f'[{{"ph":"C","name":"n","args":{{"correlation":{token},"share":{token}}}}}]'.encode())
    assert found.others.arguments["correlation"].value.tolist() == ([] if integer is None else [integer])
    assert found.others.arguments["share"].value.tolist() == ([] if decimal is None else [decimal])
    assert found.counters.value.tolist() == ([] if decimal is None else [decimal] * 2)


# --- what real files do ----------------------------------------------------------------------------------------------


@scanners
def test_odd_files_are_read_all_the_same(scanner: Any) -> None:
    content = (
        b'\xef\xbb\xbf {"deviceProperties": [{"id": 0}], "huge": 123456789012345678901234567890,\n"other list": [\n'
        b'{"ph":"X","name":"a\x01\nb\xff","pid":0,"tid":"0","ts":1,"dur":2,"args":{"x":NaN,"y":-Infinity,}},,\n'
        b'{"args":{"Value":0.5,"text":"7"},"ph":"C","name":"load","pid":"0","ts":2}\n'
        b'{"ph":"s","id":"Bound 1","pid":"0","tid":0,"ts":"3"},'
        b'{"ph":"X","name":"first","name":"a\\u0062\\/\\ud800","args":{"correlation":1},"args":{"correlation":2,"correlation":3}},'
        b'{"name":"nothing"},{},],"traceName":"x"} '
    )
    found = scan(scanner, content)
    assert (found.is_cut, found.damages, found.nameless) == (False, 0, 2)
    assert found.root == {"deviceProperties": [{"id": 0}], "huge": 123456789012345678901234567890, "traceName": "x"}
    assert [found.texts[name] for name in found.slices.name] == ["a\x01\nb\ufffd", "ab/\ufffd"]
    assert found.tracks[found.slices.track[0]] == ("0", "0") == found.tracks[found.others.track[1]]
    assert [found.texts[-2 - identity] for identity in found.others.identity.value] == ["Bound 1"]
    assert found.slices.arguments["correlation"].value.tolist() == [3]
    assert [
        (found.texts[name], value) for name, value in zip(found.counters.name, found.counters.value, strict=True)
    ] == [
        ("Value", 0.5),
        ("text", 7.0),
    ]


SMALL = (
    b'{"schemaVersion": 1, "traceEvents": [ {"ph":"X","cat":"cpu_op","name":"a\\"b","pid":1,"tid":"t","ts":1.5,"dur":2,'
    b'"args":{"correlation":5,"Input Dims":[[1,2],[]]}},\n {"name":"c","ts":3,"args":{"v":1},"ph":"C","pid":1},'
    b'{"ph":"f","id":9,"ts":4,"pid":1,"tid":2} ], "distributedInfo": {"rank": 1}}'
)


@scanners
def test_a_file_cut_at_any_byte_is_read_up_to_there(scanner: Any) -> None:
    ends = [place for place in range(len(SMALL)) if SMALL[:place].endswith((b"[]]}}", b'"pid":1}', b'"tid":2}'))]
    assert len(ends) == 3
    for cut in range(len(SMALL)):
        found = scan(scanner, SMALL[:cut])
        assert found.is_cut
        assert found.damages == 0
        assert len(found.slices) + len(found.others) == sum(end <= cut for end in ends)
    whole = scan(scanner, SMALL)
    assert (whole.is_cut, whole.root["distributedInfo"]) == (False, {"rank": 1})


@scanners
@pytest.mark.parametrize(
    "garbage",
    [
        b'{"ph":"X","name":"bare "quotes" inside","ts":1}',
        b'{"ph":"X","ts":1,"args":{"a":[[1,2}}',
        b'{"ph":"X","ts":1',
        b"\0" * 50,
        b'{"ph":"X","args":' + b"[" * 200 + b"]" * 200 + b"}",
        b'{"ph" "X"}',
    ],
)
def test_after_garbage_the_next_event_is_found(scanner: Any, garbage: bytes) -> None:
    content = b'[{"ph":"X","ts":1},' + garbage + b',{"ph":"X","ts":2,"args":{"ph":"no"}},{"ph":"i","ts":3}]'
    for piece in (1, 7, 2**20):
        found = scan(scanner, content, piece)
        assert found.slices.time.tolist() == [1000, 2000]
        assert found.others.time.tolist() == [3000]
        assert (found.damages, found.is_cut) == (1, False)
        assert found.damage[0].place == 19
        assert len(garbage) <= found.damage[0].bytes <= len(garbage) + 1


@pytest.mark.skipif(not events.NATIVE, reason="only the twin is here")
def test_damage_does_the_same_to_the_native_scanner_and_its_twin() -> None:
    dice = random.Random(6)
    letters = b'{}[]",:\\\0 \n-.e0X\xff'
    seen = 0
    for _ in range(2000):
        content = bytearray(SMALL if dice.random() < 0.7 else SMALL[36:-32])
        if dice.random() < 0.3:  # the same events again and again
            content[36:36] = content[37 : content.index(b"}},") + 3] * dice.randrange(1, 9)
        for _ in range(dice.randrange(1, 5)):
            place = dice.randrange(len(content))
            match dice.randrange(3):
                case 0:
                    content[place] = dice.choice(letters)
                case 1:
                    del content[place : place + dice.randrange(1, 9)]
                case _:
                    content[place:place] = content[dice.randrange(len(content)) :][: dice.randrange(40)]
        native = plain(scan(NativeScanner, bytes(content), dice.choice((1, 5, 64, 2**20))))
        twin = plain(scan(events_twin.EventScanner, bytes(content)))
        assert native == twin, bytes(content)
        seen += native["damages"] > 0
    assert seen > 400


@scanners
def test_arrows_that_nobody_wants_are_only_counted(scanner: Any) -> None:
    listed = [
        *({"ph": phase, "name": "ac2g", "id": 1, "ts": 1} for phase in "stfXi"),
        *({"ph": "s", "name": name, "id": 2, "ts": 2} for name in ("ac2", "ac2gg", "", None)),
        {"ph": "s", "id": 3, "ts": 3},
    ]
    reading = scanner([], [b'"async"', b'"ac2g"'])
    reading.feed(json.dumps(listed).encode(), at_end=True)
    found = events.events_of(reading.take(), [], 0)
    assert found.arrows_left_out == 3
    assert found.slices.time.tolist() == [1000]
    assert found.others.time.tolist() == [1000, 2000, 2000, 2000, 2000, 3000]


# --- files -----------------------------------------------------------------------------------------------------------


def test_packed_files_are_read_and_cut_ones_up_to_the_cut(tmp_path: Path) -> None:
    rows = [f'{{"ph":"X","name":"op {n % 50}","pid":1,"tid":1,"ts":{n}.25,"dur":1}}' for n in range(60_000)]
    content = ("[" + ",\n".join(rows) + "]").encode()
    packed = gzip.compress(content, 1)
    (tmp_path / "whole.json.gz").write_bytes(packed + gzip.compress(b"\n"))  # of two members
    (tmp_path / "cut.json.gz").write_bytes(packed[: len(packed) // 2])
    (tmp_path / "bad.json.gz").write_bytes(packed[: len(packed) // 2] + b"\0" * 99 + packed[len(packed) // 2 :])
    files = Files(str(tmp_path))
    shares: list[float] = []
    whole = events.scan(files, "whole.json.gz", {}, shares.append)
    assert np.array_equal(whole.slices.time, np.arange(60_000) * 1000 + 250)
    assert (whole.is_cut, whole.bytes, whole.unpack_error) == (False, len(content) + 1, "")
    assert len(whole.texts) == 51
    assert shares == sorted(shares) and shares[-1] == 1.0
    for name in ("cut.json.gz", "bad.json.gz"):
        part = events.scan(files, name, {})
        assert part.is_cut and part.unpack_error
        assert 25_000 < len(part.slices) < 60_000
        assert np.array_equal(part.slices.time[:25_000], whole.slices.time[:25_000])


@scanners
def test_an_event_without_an_end_does_not_take_the_file_with_it(scanner: Any) -> None:
    content = b'[{"ph":"X","ts":1,"args":{"a":[' + b"0," * 9_000_000 + b']}},{"ph":"X","ts":2}]'
    found = scan(scanner, content, 2**22)
    assert found.slices.time.tolist() == [2000]
    assert (found.damages, found.is_cut) == (1, False)
