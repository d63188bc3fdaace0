"""The training process: its rank, and warnings that never reach the training."""
