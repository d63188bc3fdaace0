"""Python reference of the native scanner: fallback without a compiler, oracle in tests."""
