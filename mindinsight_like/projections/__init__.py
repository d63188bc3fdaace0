"""Projections: vectors of many dimensions drawn in two or three, computed in processes of their own and kept."""
