"""gunicorn worker class in which slow clients cannot block others."""
