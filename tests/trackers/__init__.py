"""Readers of other trackers' logs."""
