"""Write training logs in the three dialects; light enough to import in any training environment."""
