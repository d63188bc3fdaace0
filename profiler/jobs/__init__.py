"""Analysis jobs of profiles: discovered in the index, run in their own processes, stored beside the index."""
