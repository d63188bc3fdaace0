"""Log files that are being written: framing, rotation, background thread."""
