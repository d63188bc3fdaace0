"""Memory of a recording over time."""
