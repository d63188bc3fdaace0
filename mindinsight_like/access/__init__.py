"""Access control: tokens and their roles, users of this machine, rate limits for wrong tokens."""
