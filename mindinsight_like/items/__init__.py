"""Logged values other than scalars: read from log files by position and decoded."""
