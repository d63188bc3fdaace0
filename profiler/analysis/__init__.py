"""Analyses of trace columns. Depends on numpy only, because training processes import it too."""
