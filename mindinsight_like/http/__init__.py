"""Shared by all routes: parameters, responses, schemas, and access to the index of this process."""
