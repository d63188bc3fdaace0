"""Training of the demo runs: data set, network, planned runs."""
