"""Hyper-parameter sessions of runs and the table of trials."""
