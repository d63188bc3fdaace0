"""The REST interface to profiles; analyses know nothing of it."""

from mindinsight_like.profiler.routes import (
    clusters,
    collectors,
    comparing,
    download,
    findings,
    operators,
    profiles,
    timeline,
    waits,
)

MODULES = (profiles, operators, findings, timeline, download, clusters, waits, comparing, collectors)
