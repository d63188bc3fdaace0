"""The profiler inside a training script: drives the framework's own profiler, or records by hand."""
