"""REST routes of comparisons."""
