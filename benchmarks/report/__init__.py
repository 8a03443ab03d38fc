"""How large and how fast reports and comments are."""
