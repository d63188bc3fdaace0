"""Python API: the runs of a folder as pandas tables, and MindInsight's lineage functions."""
