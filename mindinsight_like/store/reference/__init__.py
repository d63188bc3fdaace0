"""Python reference of the native modules of the store: fallback without a compiler, oracle in tests."""
