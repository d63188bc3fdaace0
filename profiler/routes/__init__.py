"""The REST interface to profiles; analyses know nothing of it."""

from mindinsight_like.profiler.routes import clusters, download, operators, profiles, timeline

MODULES = (profiles, operators, timeline, download, clusters)
