"""Ranks of a training compared: stragglers, links, advice."""
