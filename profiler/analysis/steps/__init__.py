"""Steps of a recording: breakdown, outliers, idle time, critical path."""
