"""What the columns of a trace say: numpy only, since training processes use it too."""
