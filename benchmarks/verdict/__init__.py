"""How often the verdict is wrong, and what it finds."""
