"""REST routes of profiles; the analyses are independent of them."""

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
