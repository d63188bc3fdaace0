"""Export logged values into files for other programs."""
