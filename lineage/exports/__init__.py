"""Lineage as CSV, JSON, Parquet and OpenLineage events."""
