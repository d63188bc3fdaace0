"""Python reference of the native trace scanners: fallback without a compiler, oracle in tests."""
