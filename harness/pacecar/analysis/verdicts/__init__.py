"""What the readings of all forks amount to: evidence, budgets, the gate, a verdict for each metric, its reason."""
