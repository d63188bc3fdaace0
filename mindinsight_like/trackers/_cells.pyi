from mindinsight_like.trackers.reference.cells import read_cells as read_cells
