"""Columns of the runs table made of scalars: from statistics of the index, or computed from curves as jobs."""
