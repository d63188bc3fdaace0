"""The plan of the code: which folder may import which."""
