"""A training that runs is asked for a profile from the page."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Browser, expect

from mindinsight_like.store.database.location import run_id
from tests.profiler.collector.endpoints import free_port

from .conftest import served, watched_page

TRAINING = """
import sys, time
from mindinsight_like import Profiler

profiler = Profiler(sys.argv[1], framework="none", start_profile=False, collector=sys.argv[2], run="net/first")
print("begun", flush=True)
while True:
    with profiler.op("multiply", type="MatMul"):
        time.sleep(0.01)
    profiler.step()
"""


def test_the_next_steps_of_a_running_training_are_recorded(browser: Browser, tmp_path: Path) -> None:
    base_dir = tmp_path / "runs"
    base_dir.mkdir()
    port = str(free_port())
    with served(base_dir, "--collector-port", port) as board:
        command = [sys.executable, "-c", TRAINING, str(tmp_path / "elsewhere"), f"127.0.0.1:{port}"]
        training = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=tmp_path)
        try:
            for page in watched_page(browser, board):
                page.goto("/profiler")
                expect(page.get_by_test_id("profile-now")).to_contain_text("net/first")

                page.get_by_test_id("profile-now-steps").fill("3")
                page.get_by_test_id("profile-now-button").click()

                expect(page.get_by_test_id("profile-row")).to_have_count(1)
                page.get_by_test_id("profile-row").click()
                expect(page).to_have_url(re.compile(f"/runs/{run_id('net/first')}/profiler"))
                expect(page.get_by_test_id("figure-steps")).to_contain_text("3")
                expect(page.get_by_test_id("figure-executions")).to_contain_text("3")
                expect(page.get_by_test_id("profile-now")).to_be_visible()
        finally:
            training.kill()
            training.wait()
