"""Timeline and flame graph of a recording."""
