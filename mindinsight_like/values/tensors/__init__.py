"""Tensors of all dialects: shape, type, slices and statistics."""
