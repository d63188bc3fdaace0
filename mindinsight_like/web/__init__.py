"""The Flask application and what surrounds every request: errors, access checks, compression, the page."""
