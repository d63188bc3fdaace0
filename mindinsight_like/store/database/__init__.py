"""Connections, schema and page checksums of the index database."""
