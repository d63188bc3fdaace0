"""Comparison of any number of runs: one by one, or as groups with a mean and a band."""
