"""Series of runs: which files continue a curve, which of its points are shown, and statistics of these."""
