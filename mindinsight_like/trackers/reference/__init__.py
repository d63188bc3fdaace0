"""Readable Python versions of the native modules; both give the same results."""
