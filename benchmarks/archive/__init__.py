"""How long runs take to be listed."""
