"""Environment variables of analysis processes, for settings that are read before Python starts."""

from __future__ import annotations

from typing import Final

ENVIRONMENT: Final = {
    "OPENBLAS_NUM_THREADS": "1",  # no matrices here; threads that wait for some would only cost time
    # Columns come and go by the dozen: memory that is given back at once has to be cleared for the next one, 8 % of
    # all samples of a profile. The process ends soon and gives back all of it.
    "MALLOC_MMAP_THRESHOLD_": str(2**30),
    "MALLOC_TRIM_THRESHOLD_": str(2**31),
}
