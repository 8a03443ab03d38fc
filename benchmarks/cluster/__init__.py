"""Whether comparisons conclude the same in a cluster."""
