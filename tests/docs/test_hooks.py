"""Hooks of the documentation site."""

from __future__ import annotations

import runpy

import pytest

from tests.conftest import ROOT

join_chinese_lines = runpy.run_path(str(ROOT / "docs" / "hooks.py"))["join_chinese_lines"]


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("数据在\n一秒之内写入", "数据在一秒之内写入"),
        ("写到这里，\n`output` 中", "写到这里，`output` 中"),
        ("- 列表，\n  续行", "- 列表，续行"),
        ("使用 Python\n模块", "使用 Python\n模块"),
        ("第一段。\n\n第二段", "第一段。\n\n第二段"),
        ("一。\n- 二。\n- 三", "一。\n- 二。\n- 三"),
        ("1. 一；\n2. 二", "1. 一；\n2. 二"),
        ("| 甲 |\n| 乙 |", "| 甲 |\n| 乙 |"),
        ("```sh\n# 注释，\n命令\n```", "```sh\n# 注释，\n命令\n```"),
    ],
)
def test_lines_of_chinese_text_are_joined(text: str, joined: str) -> None:
    assert join_chinese_lines(text) == joined
