"""Trace readers, one module per format."""
