"""OpenAPI document: built from the routes, served, printed."""
