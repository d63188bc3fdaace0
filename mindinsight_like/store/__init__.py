"""The index of one base dir: data read from the logs, stored on disk, and the queries over it."""
