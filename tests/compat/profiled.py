"""Run a program of the documentation, and see that it leaves the tables of a profile below `runs`."""

import csv
import subprocess
import sys
from pathlib import Path

subprocess.run([sys.executable, sys.argv[1]], stdout=subprocess.DEVNULL, check=True)
tables = sorted(Path("runs").rglob("operators_by_type.csv"))
assert tables, "nothing was analysed"
with tables[-1].open(newline="") as file:
    types = list(csv.DictReader(file))
print(f"{len(tables)} recordings, {sum(int(row['type_occurrences']) for row in types)} executions in the last")
