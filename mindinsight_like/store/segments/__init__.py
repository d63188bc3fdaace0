"""Segments: immutable columns of series, sealed with checksums, cached, merged and downsampled."""
