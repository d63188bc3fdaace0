"""Python reference of the native recorder: fallback without a compiler, oracle in tests."""
