"""Drop-in writer and reader for VisualDL logs, 2.x and 1.x."""
