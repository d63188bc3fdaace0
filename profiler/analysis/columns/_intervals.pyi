from mindinsight_like.profiler.analysis.reference.intervals import unite as unite
