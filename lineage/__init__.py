"""Which data, parameters and code led to which result."""
