"""Rows of the index: one module for each table that the loader writes."""
