"""Record lineage from any framework."""
