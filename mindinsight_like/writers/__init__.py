"""Writers for training scripts: light, importable beside any framework."""
