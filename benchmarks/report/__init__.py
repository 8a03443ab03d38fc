"""How large reports are, and how fast reports and comments are."""
