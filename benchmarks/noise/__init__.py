"""Which ways to a pair's number are less noisy."""
