from mindinsight_like.profiler.traces.reference.events import EventScanner as EventScanner
