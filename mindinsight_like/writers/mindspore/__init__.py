"""Drop-in writer, collector and callbacks for MindSpore summaries."""
