"""Lists of runs in any order and searches come from indexes, and totals are kept, not added up."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mindinsight_like.store.run_catalogue import RUN_ORDERS
from mindinsight_like.store.run_totals import RunTotals
from tests.loader.logs import Loading, append, tensorboard_records, write

_LOG = "events.out.tfevents.1700000000.host"
_ORDERS = [sign + order for order in RUN_ORDERS for sign in ("", "-")]


@pytest.fixture(params=["sqlite", "postgresql"])
def loading(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Loading]:
    base_dir = tmp_path / "logs"
    base_dir.mkdir()
    url = request.getfixturevalue("postgresql_url") if request.param == "postgresql" else ""
    made = Loading(base_dir, tmp_path / "workspace", url)
    for place in range(40):
        content = tensorboard_records("loss", range(place % 5 + 1))
        if place % 7 == 0:
            content += b"rubbish" * 5 + tensorboard_records("loss", [9])
        write(base_dir / f"Group {place % 3}/RUN_{place:02} Größe" / _LOG, content, mtime=1.6e9 + place % 4)
    made.round()
    yield made
    made.close()


def _key(order: str) -> Any:
    return lambda run: (
        {
            "name": run.name,
            "created_at": run.created_at,
            "updated_at": run.updated_at,
            "bytes": run.bytes,
            "dialects": ",".join(run.dialects),
            "warnings": run.warning_count,
        }[order],
        run.name,
    )


@pytest.mark.parametrize("order", _ORDERS)
def test_a_window_of_any_order_is_that_part_of_the_sorted_list(loading: Loading, order: str) -> None:
    _, everything = loading.reader.runs.find()
    expected = sorted(everything, key=_key(order.removeprefix("-")), reverse=order.startswith("-"))

    total, found = loading.reader.runs.find(sort=order, offset=5, limit=10)

    assert total == 40
    assert [run.name for run in found] == [run.name for run in expected[5:15]]


@pytest.mark.parametrize(
    ("search", "count"),
    [("GROUP 1", 20), ("run_0 größe", 10), ("GRÖSSE", 0), ("_", 40), ("%", 0), ("!", 0), ("2 1/", 3)],
)
def test_every_word_of_a_search_is_in_the_name_whatever_its_case(loading: Loading, search: str, count: int) -> None:
    words = search.lower().split()
    expected = [name for name in loading.runs() if all(word in name.lower() for word in words)]

    total, found = loading.reader.runs.find(search=search, limit=100)

    assert [run.name for run in found] == expected
    assert total == len(expected) == count


def _plan(loading: Loading, ask: Any) -> list[str]:
    """What SQLite does for the statements over all runs."""
    connection = loading.reader.connection.loaded()
    statements: list[tuple[str, Any]] = []
    raw = connection._raw  # type: ignore[attr-defined]
    raw.set_trace_callback(lambda sql: statements.append((sql, ())))
    try:
        ask()
    finally:
        raw.set_trace_callback(None)
    return [
        str(row[3])
        for sql, _ in statements
        if sql.startswith("SELECT") and "FROM runs" in sql
        for row in raw.execute(f"EXPLAIN QUERY PLAN {sql}").fetchall()
    ]


@pytest.mark.parametrize("loading", ["sqlite"], indirect=True)
@pytest.mark.parametrize("order", _ORDERS)
def test_no_order_sorts_or_scans_the_runs(loading: Loading, order: str) -> None:
    plan = _plan(loading, lambda: loading.reader.runs.find(sort=order, limit=10))

    assert any(f"USING INDEX runs_by_{order.removeprefix('-')}" in step for step in plan), plan
    assert not any("TEMP B-TREE" in step for step in plan), plan
    assert not any(step.startswith("SCAN runs") and "USING INDEX" not in step for step in plan), plan


@pytest.mark.parametrize("loading", ["sqlite"], indirect=True)
def test_a_search_looks_through_the_narrow_index_of_names(loading: Loading) -> None:
    plan = _plan(loading, lambda: loading.reader.runs.find(search="run_07", limit=10))

    assert any("COVERING INDEX runs_by_search_name" in step for step in plan), plan
    assert not any(step == "SCAN runs" for step in plan), plan


@pytest.mark.parametrize("loading", ["sqlite"], indirect=True)
def test_the_state_of_the_service_looks_at_no_run(loading: Loading) -> None:
    assert _plan(loading, loading.reader.service) == []
    assert loading.reader.service().kinds == ["scalars"]
    assert loading.reader.service().loading.runs_total == 40


@pytest.mark.parametrize("loading", ["postgresql"], indirect=True)
def test_postgresql_has_the_same_indexes(loading: Loading) -> None:
    rows = loading.reader.connection.query("SELECT indexname FROM pg_indexes WHERE tablename = 'runs'")
    names = {name for (name,) in rows}
    assert {f"runs_by_{column}" for column in ("name", "created_at", "bytes", "warnings", "search_name")} <= names


_ACTIONS = st.lists(
    st.tuples(st.sampled_from(["write", "add_scalars", "grow", "delete", "delete folder", "round"]), st.integers(0, 4)),
    max_size=25,
)


@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(actions=_ACTIONS)
def test_totals_are_those_of_the_runs_whatever_comes_and_goes(
    tmp_path_factory: pytest.TempPathFactory, actions: list[tuple[str, int]]
) -> None:
    folder = tmp_path_factory.mktemp("totals")
    base_dir = folder / "logs"
    base_dir.mkdir()
    made = Loading(base_dir, folder / "workspace")
    try:
        for action, place in [*actions, ("round", 0)]:
            run = base_dir / str(place)
            match action:
                case "write":
                    write(run / _LOG, tensorboard_records("loss", range(place + 1)) + tensorboard_records("pair", [1]))
                case "add_scalars":
                    write(run / f"pair_{place}" / _LOG, tensorboard_records("pair", range(place + 1)))
                case "grow" if (run / _LOG).exists():
                    append(run / _LOG, tensorboard_records("other", [place]))
                case "delete" if (run / _LOG).exists():
                    (run / _LOG).unlink()
                case "delete folder" if run.exists():
                    shutil.rmtree(run)
                case "round":
                    made.round()
                    rows = made.reader.connection.query("SELECT parent, bytes, counts FROM runs")
                    shown = [size for parent, size, _ in rows if parent is None]
                    kinds = [kind for _, _, counts in rows for kind in json.loads(counts)]
                    expected = RunTotals(len(shown), sum(shown), {kind: kinds.count(kind) for kind in set(kinds)})
                    assert made.reader.runs.totals() == expected
    finally:
        made.close()
