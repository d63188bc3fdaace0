"""Record scalars as a training would and print the cost of one call; runs in our environment or in the peer's.

python recording.py <module with SummaryWriter> <folder> <calls>
"""

import importlib
import json
import sys
import time

TAGS = [f"train/metric_{number}" for number in range(10)]
PAUSE_SECONDS = 0.002  # between steps, as long as a fast one takes; threads get their turn as they would
WARM_UP_STEPS = 20


def main() -> None:
    module, folder, calls = sys.argv[1], sys.argv[2], int(sys.argv[3])
    writer = importlib.import_module(module).SummaryWriter(folder)
    _record(writer, range(WARM_UP_STEPS))
    writer.flush()
    started = time.process_time()
    waited = _record(writer, range(WARM_UP_STEPS, WARM_UP_STEPS + calls // len(TAGS)))
    writer.close()
    used = time.process_time() - started
    print(json.dumps({"cpu_us": used / calls * 1e6, "wait_us": waited / calls * 1e6}))


def _record(writer, steps):
    """Seconds that the training spent in the calls."""
    waited = 0.0
    for step in steps:
        value = 1 / (step + 1)
        began = time.perf_counter()
        for tag in TAGS:
            writer.add_scalar(tag, value, step)
        waited += time.perf_counter() - began
        time.sleep(PAUSE_SECONDS)
    return waited


if __name__ == "__main__":
    main()
