"""Embeddings: vectors with labels and sprites, from records and from projector files."""
