"""Every setting with its default."""
