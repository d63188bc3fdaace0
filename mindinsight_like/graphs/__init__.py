"""Computation graphs: readers of each format, one model of columns for all, and the questions that boards ask."""
