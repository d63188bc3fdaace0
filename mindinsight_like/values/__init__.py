"""Decode logged values, one module per kind; nothing here depends on files, indexes or HTTP."""
