"""Analyses of profiles: found in the index, made in processes of their own, kept beside the index."""
