"""The Flask application and its middleware: errors, access checks, compression, the page."""
