"""Where the time goes: Profiler, collector, trace readers, analyses."""
