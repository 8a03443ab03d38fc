"""How far capacities scatter, and which losses of capacity comparisons find."""
