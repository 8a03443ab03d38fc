"""How much the counts of the quick tier scatter, and how often it is wrong."""
