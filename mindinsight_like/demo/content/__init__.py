"""Values that the demo runs log besides scalars."""
