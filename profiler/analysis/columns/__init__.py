"""Columns of an analysed recording: ordering, nesting, grouping, intervals, storage."""
