"""How much capacities scatter, and which losses of capacity comparisons find."""
