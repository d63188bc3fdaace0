"""Texts about a training: parameters, description, verdict."""

from __future__ import annotations

from mindinsight_like.demo.training.plans import Plan
from mindinsight_like.demo.training.training import Outcome


def parameters(plan: Plan) -> dict[str, str | int | float]:
    """The parameters by name."""
    return {
        "optimiser": plan.optimiser,
        "learning_rate": plan.rate,
        "hidden_units": plan.hidden,
        "weight_decay": plan.decay,
        "seed": plan.seed,
        "steps": plan.steps,
    }


def description(plan: Plan) -> str:
    """The parameters as a table."""
    rows = (f"| {name.replace('_', ' ')} | {value} |\n" for name, value in parameters(plan).items())
    return "| parameter | value |\n|---|---|\n" + "".join(rows)


def verdict(outcome: Outcome) -> str:
    """How the training ended, in one sentence."""
    if outcome.view is None:
        return f"**Diverged**: after {outcome.step} steps the weights are no numbers any more."
    judged = outcome.held_out
    return f"After {outcome.step} steps **{judged.accuracy:.1%}** of new examples are known; loss {judged.loss:.3f}."
