"""Which ways to calculate the figure of a pair are less noisy."""
