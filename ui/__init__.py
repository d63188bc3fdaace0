"""The web app; its build lands in `dist`."""
