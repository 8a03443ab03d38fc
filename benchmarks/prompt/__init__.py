"""How much commands take that measure nothing."""
