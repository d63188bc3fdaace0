"""Offline runs of W&B."""
