"""Finding runs and following their growing log files into the index."""
