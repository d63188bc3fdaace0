"""Run a program of the documentation, and see that our reader finds curves in the folder `runs` it writes to."""

import subprocess
import sys

import mindinsight_like as mi

subprocess.run([sys.executable, sys.argv[1]], stdout=subprocess.DEVNULL, check=True)
points = mi.open("runs").scalars()
assert len(points), "nothing was recorded"
print(f"{len(points)} points of {points['tag'].nunique()} curves")
