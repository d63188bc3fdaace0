"""A self-hosted board for training logs of MindSpore, TensorBoard and VisualDL."""
