"""Expressions over scalars: what they name, how they bind, and what is said of wrong ones."""

from __future__ import annotations

import pytest

from mindinsight_like.expressions.parser import Call, Node, Number, Operation, Tag, parse
from mindinsight_like.expressions.tokens import BadExpression, possible_tags


def shown(node: Node) -> str:
    """A tree with all its brackets."""
    if isinstance(node, Number):
        return f"{node.value:g}"
    if isinstance(node, Tag):
        return f"<{node.name}>"
    if isinstance(node, Operation):
        return f"({shown(node.left)} {node.sign} {shown(node.right)})"
    assert isinstance(node, Call)
    return f"{node.function}({shown(node.of)}{f', {node.weight:g}' if node.function == 'ema' else ''})"


@pytest.mark.parametrize(
    ("text", "tags", "tree"),
    [
        ("a/b", {"a", "b"}, "(<a> / <b>)"),
        ("a/b", {"a", "b", "a/b"}, "<a/b>"),
        ("train/loss/2", {"train/loss"}, "(<train/loss> / 2)"),
        ("train/loss-eval/loss", {"train/loss", "eval/loss"}, "(<train/loss> - <eval/loss>)"),
        ("train/loss - eval/loss", {"train/loss", "eval/loss"}, "(<train/loss> - <eval/loss>)"),
        ('"a/b" / `c d`', set(), "(<a/b> / <c d>)"),
        ("a - b - c", {"a", "b", "c"}, "((<a> - <b>) - <c>)"),
        ("a + b * c", {"a", "b", "c"}, "(<a> + (<b> * <c>))"),
        ("-a * 2", {"a"}, "((0 - <a>) * 2)"),
        ("1e-3*a", {"a"}, "(0.001 * <a>)"),
        ("a-1e-3", {"a"}, "(<a> - 0.001)"),
        ("ema(a, .9)", {"a"}, "ema(<a>, 0.9)"),
        ("b-abs(a)", {"a", "b"}, "(<b> - abs(<a>))"),
        ("LOG (a)", {"a"}, "log(<a>)"),
        ("delta(a) / 2", {"a"}, "(delta(<a>) / 2)"),
        ("损失／准确率", {"损失", "准确率"}, "(<损失> / <准确率>)"),
    ],
)
def test_names_bind_before_operators(text: str, tags: set[str], tree: str) -> None:
    assert shown(parse(text, frozenset(tags)).root) == tree
    assert tags >= set() and set(possible_tags(text)) >= {each.name for each in parse(text, frozenset(tags)).tags}


@pytest.mark.parametrize(
    ("text", "problem", "position"),
    [
        ("", "expected", 0),
        ("a +", "expected", 3),
        ("a b", "expected", 2),
        ("(a", "expected", 2),
        ("a)", "expected", 1),
        ("1 + 2", "no_tag", 0),
        ("sin(a)", "unknown_function", 0),
        ("a + sin(a)", "unknown_function", 4),
        ("ema(a)", "expected", 5),
        ("ema(a, b)", "bad_weight", 7),
        ("ema(a, 1)", "bad_weight", 7),
        ("a ; b", "unexpected", 2),
        ('"a', "open_quote", 0),
        ("(" * 300 + "a" + ")" * 300, "too_deep", 60),
        ("-" * 300 + "a", "too_deep", 60),
        ("a+" * 5000, "too_long", 2000),
        ("+".join(["a"] * 500), "too_many", 201),
        ("a/" * 900 + "a", "ambiguous", 0),
    ],
)
def test_a_problem_has_a_code_and_a_place(text: str, problem: str, position: int) -> None:
    with pytest.raises(BadExpression) as caught:
        possible_tags(text)
        parse(text, frozenset({"a"}))

    assert (caught.value.details["problem"], caught.value.details["position"]) == (problem, position)
