"""Operators of a recording: tables, FLOPs, utilisation, comparison."""
