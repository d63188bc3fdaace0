"""Table of all runs with their lineage, and columns computed on demand."""
