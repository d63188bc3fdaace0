"""Demo runs: a small classifier really trained, logged in all three dialects."""
