"""Files that several trackers write alike: databases, archives, CSV, JSON and YAML, read within bounds."""
