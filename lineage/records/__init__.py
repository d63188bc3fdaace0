"""Lineage records: decoded from logs, merged into one record per run."""
