"""Projections of high-dimensional vectors to two or three dimensions, computed in separate processes and cached."""
