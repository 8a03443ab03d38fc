"""How often a search names the wrong commit."""
