"""One reader per tracker or library; `registry` lists them."""
