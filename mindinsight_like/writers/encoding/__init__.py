"""Encode values and events of the three dialects."""
