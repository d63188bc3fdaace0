"""Logged values out of their bytes, one module per kind; nothing here knows of files, indexes or HTTP."""
