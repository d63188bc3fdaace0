"""The running service: its processes, the state that tells them from others, and what keeps them alive."""
