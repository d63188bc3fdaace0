"""The running service: its processes, its state file, and the supervisor."""
