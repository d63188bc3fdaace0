"""One module for each format of a profiler."""
