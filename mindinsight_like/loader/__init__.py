"""Discover runs and load their growing log files into the index."""
