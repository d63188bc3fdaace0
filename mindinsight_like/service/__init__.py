"""The processes of a running service: supervisor, gunicorn, loader."""
