"""Drop-in writer for TensorBoard logs."""
