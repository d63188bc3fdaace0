from mindinsight_like.trackers.reference.records import scan as scan
