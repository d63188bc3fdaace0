"""The profiler in a training script: it drives the framework's own, or records by hand."""
