"""The index of one base dir: what was read from the logs, kept on disk, and the questions it answers."""
