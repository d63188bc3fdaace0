"""Importance of parameters, differences between runs, divergence of curves."""
