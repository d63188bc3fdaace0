"""REST routes, one blueprint per kind of data."""
