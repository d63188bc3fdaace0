"""File formats: which file is which dialect, and a scanner that turns its bytes into columns."""
