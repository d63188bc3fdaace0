"""Writing what runs logged into files for other programs."""
