"""Recording window: some steps, recorded by the framework's profiler, by hand, or both."""

from __future__ import annotations

from collections.abc import Callable

from mindinsight_like.profiler.process.warnings import tell
from mindinsight_like.profiler.training.drivers import Driver, Refused
from mindinsight_like.profiler.training.recorder import Recorder
from mindinsight_like.profiler.training.slices import Switch


class Window:
    """Drives a framework's profiler, and records by hand what that does not take.

    Both are parts of one recording, and called by the same name. Whatever the framework's profiler raises is told, and
    recording goes on by hand.
    """

    def __init__(self, switch: Switch, driver: Driver | None, recorder: Recorder) -> None:
        self._switch = switch
        self._driver = driver
        self.recorder = recorder
        if driver is not None:
            driver.recording = recorder.name

    @property
    def is_driven(self) -> bool:
        """Whether the framework's profiler records."""
        return self._driver is not None

    def prepare(self, step: int) -> None:
        """Let the framework's profiler warm up."""
        self._drive(lambda driver: driver.prepare(step))

    def begin(self, step: int) -> None:
        """Record from this step on."""
        self._drive(lambda driver: driver.begin(step))
        self.recorder.begin()
        if self._driver is not None and self._driver.mark is not None:
            self._switch.mark = self._driver.mark
        else:
            self._record_by_hand()

    def warm_up(self, step: int) -> None:
        """This step begins while the profiler is warming up."""
        self._drive(lambda driver: driver.step(step))

    def step(self, ended: int) -> None:
        """A step has ended, the next begins."""
        self._drive(lambda driver: driver.step(ended + 1))
        self._note_step(ended)

    def end_driver(self) -> None:
        """Have the framework's recording written now, in the middle of a step; what is recorded by hand goes on."""
        self._switch.mark = None
        self._drive(lambda driver: driver.end(is_in_step=True))

    def end(self, ended: int | None) -> None:
        """Write everything; `ended` is the step that has just ended, None in the middle of one."""
        self._switch.mark = None
        self._switch.target = None
        if ended is not None:
            self._note_step(ended)
        self._drive(lambda driver: driver.end(is_in_step=ended is None))
        self.recorder.close(self._driver.facts if self._driver is not None else None)

    def _note_step(self, ended: int) -> None:
        # Beside a framework's recording, one by hand is only there for what is recorded by hand.
        if self._driver is None or self.recorder.has_slices:
            self.recorder.step(ended)

    def _record_by_hand(self) -> None:
        self._switch.mark = None
        self._switch.target = self.recorder

    def _drive(self, act: Callable[[Driver], None]) -> None:
        driver = self._driver
        if driver is None:
            return
        try:
            act(driver)
        except Exception as error:
            self._driver = None
            reason = f"the framework's own profiler failed ({type(error).__name__}: {error})"
            tell(
                f"{error if isinstance(error, Refused) else reason}; "
                "training goes on, and only what is recorded by hand is kept"
            )
            if self._switch.mark is not None:
                self._record_by_hand()
