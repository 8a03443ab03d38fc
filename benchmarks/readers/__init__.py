"""How fast foreign files are read."""
