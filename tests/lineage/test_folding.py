"""Sub-runs of one training are one row of the runs table; unrelated siblings are not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

import mindinsight_like as mi
from mindinsight_like.lineage.table.folding.facts import joined_facts
from mindinsight_like.lineage.table.folding.rules import DEFAULT, FoldingRules
from mindinsight_like.lineage.table.folding.sub_runs import find_sub_runs
from mindinsight_like.store.result_types import RunFacts, ScalarReach
from mindinsight_like.store.run_status import RunStatus, State
from tests.boards.conftest import Board, board

__all__ = ["board"]  # fixture of the boards' tests


def ask(board: Board, **params: Any) -> Any:
    answer = board.client.post("/v1/runs/table", json={"sub_runs": "folded", **params})
    assert answer.status_code == 200, answer.text
    return answer.get_json()


def names(answer: Any) -> list[str]:
    return [row["name"] for row in answer["rows"]]


def rows(
    runs: Sequence[str],
    rules: FoldingRules = DEFAULT,
    reach: Mapping[str, ScalarReach] | None = None,
    known: Mapping[str, bool] | None = None,
) -> dict[str, list[str]]:
    """The rows of some runs with more than one; `known`: runs with lineage, and whether they have hyperparameters."""
    reach = reach or {}

    def reaches(places: Sequence[int]) -> Mapping[int, ScalarReach]:
        return {place: reach[runs[place]] for place in places if runs[place] in reach}

    has_settings = {runs.index(name): has for name, has in (known or {}).items()}
    sub_runs = find_sub_runs(runs, rules, reaches, lambda: has_settings)
    assert sorted(run for places in sub_runs.rows.values() for run in places) == list(range(len(runs)))
    return {name: sorted(runs[place] for place in places) for name, places in sub_runs.rows.items() if len(places) > 1}


@pytest.mark.parametrize(
    ("runs", "name"),
    [
        (["x/train", "x/eval"], "x"),
        (["x/train", "x/validation", "x/test"], "x"),
        (["x/learn", "x/test"], "x"),
        (["x", "x/eval"], "x"),
        (["x", "x/Train", "x/Validation"], "x"),
        (["train", "validation"], "."),
        (["/nfs/a/train", "/nfs/a/eval"], "/nfs/a"),
        (["x/rank_0", "x/rank_1", "x/rank_2"], "x"),
        (["x/rank0", "x/rank1"], "x"),
        (["rank-0", "rank-1"], "."),
        (["x/rank_0/train", "x/rank_0/eval", "x/rank_1/train", "x/rank_1/eval"], "x"),
    ],
)
def test_parts_of_one_training_are_one_row(runs: list[str], name: str) -> None:
    assert rows(runs) == {name: sorted(runs)}


@pytest.mark.parametrize(
    "runs",
    [
        ["x/adam", "x/sgd"],
        ["x/train"],
        ["x/eval", "x/test"],
        ["x/train", "y/eval"],
        ["x", "x/train"],
        ["x/rank_0"],
        ["x/rank_0", "y/rank_1"],
        ["train", "test", "other"],
        ["x/train_1", "x/eval_1"],
        ["x/ranking_1", "x/ranking_2"],
        ["x/version_0", "x/version_1"],
    ],
)
def test_unrelated_siblings_are_rows_of_their_own(runs: list[str]) -> None:
    assert rows(runs) == {}


def test_siblings_beside_a_training_stay_apart() -> None:
    assert rows(["x/train", "x/eval", "x/other"]) == {"x": ["x/eval", "x/train"]}


VERSIONS = ["v/version_0", "v/version_1", "v/version_2"]


def test_a_version_that_goes_on_where_the_last_one_ended_is_the_same_training() -> None:
    reach = {
        "v/version_0": ScalarReach(0, 100, 0.0, 10.0),
        "v/version_1": ScalarReach(91, 200, 20.0, 30.0),
        "v/version_2": ScalarReach(205, 300, 40.0, 50.0),
    }
    assert rows(VERSIONS, reach=reach) == {"v/version_0": VERSIONS}


@pytest.mark.parametrize(
    "later",
    [
        ScalarReach(0, 100, 20.0, 30.0),  # from the beginning
        ScalarReach(30, 100, 20.0, 30.0),  # with a longer interval between points
        ScalarReach(300, 400, 20.0, 30.0),  # far behind
        ScalarReach(101, 200, 5.0, 30.0),  # at the same time
    ],
)
def test_other_versions_are_trainings_of_their_own(later: ScalarReach) -> None:
    reach = {"v/version_0": ScalarReach(0, 100, 0.0, 10.0), "v/version_1": later}
    assert rows(VERSIONS[:2], reach=reach) == {}


def test_rules_can_be_changed_and_switched_off() -> None:
    assert rows(["x/fit", "x/check"], FoldingRules(training=("fit",), evaluation=("check",))) == {
        "x": ["x/check", "x/fit"]
    }
    assert rows(["x/train", "x/eval"], FoldingRules(training=())) == {}
    assert rows(["x/rank_0", "x/rank_1"], FoldingRules(ranks=())) == {}
    assert rows(["x/train", "x/eval"], FoldingRules(is_enabled=False)) == {}


@pytest.fixture
def trainings(board: Board) -> Board:
    """Two trainings with evaluation as Keras logs them, and a run of its own."""
    for run, accuracy in (("a", 0.7), ("b", 0.9)):
        board.log(f"{run}/train", "loss", [1.0, 0.2])
        board.log(f"{run}/train", "accuracy", [0.5, 0.99])
        board.log(f"{run}/validation", "loss", [1.5, 1.0 - accuracy])
        board.log(f"{run}/validation", "accuracy", [0.4, accuracy])
    mi.log_lineage(board.settings.summary_base_dir / "b/train", params={"lr": 0.5}, code=False, environment=False)
    mi.log_lineage(board.settings.summary_base_dir / "a/validation", params={"lr": 0.1}, code=False, environment=False)
    board.log("c", "val/accuracy", [0.8])
    board.load()
    return board


def test_a_row_joins_metrics_of_evaluation_and_parameters_of_either(trainings: Board) -> None:
    columns = ["accuracy", "train_accuracy", "val_loss", "loss", "learning_rate", "scalar/loss/min"]

    answer = ask(trainings, columns=columns)

    assert (names(answer), answer["total"], answer["folded"]) == (["b", "c", "a"], 3, 2)
    values = {row["name"]: row["values"] for row in answer["rows"]}
    assert values["c"] == {"accuracy": pytest.approx(0.8)}
    assert values["a"] == {
        "accuracy": pytest.approx(0.7),
        "train_accuracy": pytest.approx(0.99),
        "val_loss": pytest.approx(0.3),
        "loss": pytest.approx(0.2),
        "learning_rate": 0.1,
        "scalar/loss/min": pytest.approx(0.3),
    }
    assert values["b"]["learning_rate"] == 0.5
    sub_runs = {row["name"]: row.get("sub_runs", []) for row in answer["rows"]}
    assert [(each["name"], each["role"]) for each in sub_runs["a"]] == [
        ("a/train", "training"),
        ("a/validation", "evaluation"),
    ]
    assert sub_runs["c"] == []
    assert next(row["run"] for row in answer["rows"] if row["name"] == "a") == sub_runs["a"][0]["run"]


def test_queries_groups_and_sparklines_are_of_rows(trainings: Board) -> None:
    assert names(ask(trainings, query="accuracy > 0.75 and loss < 0.5")) == ["b"]
    assert names(ask(trainings, query="val_loss < 1", sort="-val_loss")) == ["a", "b"]
    groups = ask(trainings, group_by=["learning_rate"], columns=["accuracy"], sort="learning_rate")["groups"]
    assert [(each["values"], each["n"]) for each in groups] == [([0.1], 1), ([0.5], 1), ([None], 1)]
    (row, *_) = ask(trainings, sparkline="auto")["rows"]
    assert (row["name"], row["sparkline"]["values"]) == ("b", [0.4, 0.9])
    member = row["sub_runs"][1]["run"]
    assert names(ask(trainings, runs=[member])) == ["b"]
    assert names(ask(trainings, runs=[member], sub_runs="separate")) == ["b/validation"]
    count = next(each["count"] for each in ask(trainings)["columns"] if each["name"] == "scalar/loss/last")
    assert count == 2


def test_clients_that_do_not_ask_get_a_row_per_run(trainings: Board) -> None:
    answer = trainings.client.post("/v1/runs/table", json={"sort": "run"}).get_json()

    assert names(answer) == ["a/train", "a/validation", "b/train", "b/validation", "c"]
    assert answer["folded"] == 0


def test_columns_from_curves_are_of_rows_too(trainings: Board) -> None:
    columns = ["scalar/loss/mean:2", "scalar/loss/at:1"]

    (row,) = ask(trainings, columns=columns, query="run = a")["rows"]

    assert row["values"] == {"scalar/loss/mean:2": pytest.approx(0.9), "scalar/loss/at:1": pytest.approx(0.3)}


def test_rows_follow_their_sub_runs(trainings: Board) -> None:
    assert names(ask(trainings)) == ["b", "c", "a"]
    trainings.log("a/validation", "accuracy", [0.95], first_step=2)
    trainings.log("c/eval", "loss", [0.5])
    trainings.load()

    answer = ask(trainings, columns=["accuracy", "val_loss"])

    assert (names(answer), answer["folded"]) == (["a", "b", "c"], 3)
    assert answer["rows"][2]["values"]["val_loss"] == 0.5


def test_a_session_is_in_the_row_of_the_curves_that_it_was_written_below() -> None:
    session = {"x/hp": True}
    assert rows(["x", "x/hp"], known=session) == {"x": ["x", "x/hp"]}
    assert rows(["x", "x/hp", "x/train", "x/eval"], known=session) == {"x": ["x", "x/eval", "x/hp", "x/train"]}
    assert rows(["x", "x/hp"], known={"x/hp": False}) == {}
    assert rows(["x", "x/hp"], known={"x": False, "x/hp": True}) == {}
    assert rows(["x", "x/a", "x/b"], known={"x/a": True, "x/b": True}) == {}
    assert rows([".", "hp"], known={"hp": True}) == {}
    assert rows(["x/hp"], known=session) == {}
    assert rows(["x", "x/hp"], FoldingRules(sessions=False), known=session) == {}


def test_what_add_hparams_writes_is_one_row_with_curves_settings_and_results(board: Board) -> None:
    with mi.SummaryWriter(str(board.settings.summary_base_dir / "mlp")) as writer:
        writer.add_scalar("loss", 0.5, 0)
        writer.add_hparams({"lr": 0.1}, {"accuracy": 0.9}, name="hp")
    board.load()

    answer = ask(board, columns=["learning_rate", "accuracy", "loss"])

    assert names(answer) == ["mlp"]
    assert answer["rows"][0]["values"] == pytest.approx({"learning_rate": 0.1, "accuracy": 0.9, "loss": 0.5})
    assert [(each["name"], each["role"]) for each in answer["rows"][0]["sub_runs"]] == [
        ("mlp", ""),
        ("mlp/hp", "session"),
    ]
    assert board.client.put(RULES, json={"sessions": False}).get_json()["rows"] == 0


RULES = "/v1/runs/table/folding"


def test_rules_are_changed_for_everyone_and_taken_back(trainings: Board) -> None:
    client = trainings.client
    built_in = client.get(RULES).get_json()
    assert (built_in["is_enabled"], built_in["rows"], built_in["folded"], built_in["is_changed"]) == (True, 2, 2, False)

    changed = client.put(RULES, json={"evaluation": ["check"]}).get_json()

    assert (changed["evaluation"], changed["training"]) == (["check"], built_in["training"])
    assert (changed["is_changed"], changed["rows"]) == (True, 0)
    assert len(names(ask(trainings))) == 5
    stale = client.put(RULES, json={"evaluation": ["validation"], "version": changed["version"] - 1})
    assert stale.status_code == 409
    assert client.delete(RULES).get_json()["rows"] == 2
    assert client.delete(RULES).status_code == 404
    assert client.put(RULES, json={"is_enabled": False}).get_json()["rows"] == 0


@pytest.mark.parametrize("change", [{"ranks": ["a/b"]}, {"training": ["eval"]}, {"versions": [""]}])
def test_rules_that_make_no_sense_are_refused(trainings: Board, change: dict[str, Any]) -> None:
    answer = trainings.client.put(RULES, json=change)

    assert answer.status_code == 400
    assert trainings.client.get(RULES).get_json()["is_changed"] is False


def test_what_people_set_is_of_the_whole_row(trainings: Board) -> None:
    row = ask(trainings, query="run = a")["rows"][0]
    changed = trainings.client.patch("/v1/runs", json={"run": [row["run"]], "archived": True})
    assert changed.status_code == 200

    answer = ask(trainings)

    assert (names(answer), answer["archived"]) == (["b", "c"], 1)


def test_tables_of_the_python_api_fold_when_asked(trainings: Board) -> None:
    runs = mi.open(trainings.settings.summary_base_dir, workspace=trainings.settings.workspace)

    assert list(runs.table()["run"]) == ["a/train", "a/validation", "b/train", "b/validation", "c"]
    folded = runs.table(columns=["accuracy"], fold_sub_runs=True)
    assert dict(zip(folded["run"], folded["accuracy"], strict=True)) == pytest.approx({"a": 0.7, "b": 0.9, "c": 0.8})
    assert list(runs.select("b/*").table(fold_sub_runs=True)["run"]) == ["b"]


def _facts(state: State, *, started_at: float, ended_at: float | None = None) -> RunFacts:
    status = RunStatus(state, started_at=started_at, ended_at=ended_at, active_at=started_at + 1)
    return RunFacts("id", "x/y", started_at, started_at + 1, 10, "tensorboard", status, warnings=1)


@pytest.mark.parametrize(
    ("states", "state"),
    [
        (["finished", "running"], "running"),
        (["finished", "failed"], "failed"),
        (["stalled", "finished"], "stalled"),
        (["unknown", "finished"], "finished"),
    ],
)
def test_the_state_of_a_row_is_that_of_its_most_alive_run(states: list[State], state: State) -> None:
    members = [_facts(each, started_at=10.0 * place, ended_at=10.0 * place + 5) for place, each in enumerate(states)]

    joined = joined_facts("x", members, members)

    assert joined.status.state == state
    assert (joined.status.started_at, joined.status.active_at) == (0.0, 11.0)
    assert joined.status.ended_at == (15.0 if state in ("finished", "failed") else None)
    assert (joined.name, joined.bytes, joined.warnings) == ("x", 20, 2)


def test_a_resumed_training_has_the_state_of_its_last_version() -> None:
    members = [_facts("failed", started_at=0.0, ended_at=5.0), _facts("finished", started_at=10.0, ended_at=15.0)]

    assert joined_facts("x", members, members[1:]).status.state == "finished"
    assert joined_facts("x", members[::-1], members[1:]).status.started_at == 0.0


def test_smallest_and_largest_values_go_through_all_versions(board: Board) -> None:
    board.log("v/version_0", "loss", [3.0, 0.5, 2.0])
    board.log("v/version_1", "loss", [1.5, 1.0], first_step=3)
    board.load()

    (row,) = ask(board, columns=["scalar/loss/last", "scalar/loss/min", "scalar/loss/max"])["rows"]

    assert row["name"] == "v/version_0"
    assert row["values"] == {"scalar/loss/last": 1.0, "scalar/loss/min": 0.5, "scalar/loss/max": 3.0}
    assert [(each["role"], each["number"]) for each in row["sub_runs"]] == [("version", 0), ("version", 1)]
