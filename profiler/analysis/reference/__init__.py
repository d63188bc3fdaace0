"""Python reference of the native modules: fallback without a compiler, oracle in tests."""
