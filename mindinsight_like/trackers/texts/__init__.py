"""Logs in plain text: points in lines that patterns find, those of libraries and those that users write."""
