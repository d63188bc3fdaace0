"""Arithmetic over scalar curves: `loss / "eval/loss"`, `ema(loss, 0.9)`, `delta(accuracy)`."""
