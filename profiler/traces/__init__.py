"""Trace readers: recordings of all supported profilers as one set of columns."""
