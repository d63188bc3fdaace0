"""What profilers leave behind, read into one set of columns."""
