"""How often the causes that Pacecar names are the right ones."""
