"""Logs of other trackers and training libraries: recognised, read slice by slice, never changed."""
