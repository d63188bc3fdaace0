"""One call that records a run: `mi.init()`, and the calls of wandb on top of it; light enough for any training."""
