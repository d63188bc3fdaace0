"""Demo runs: a small classifier that is actually trained, logged in all three dialects."""
