"""REST routes of lineage."""
