"""Sub-runs of one training as one row of the runs table: rules, rows, and their values."""
