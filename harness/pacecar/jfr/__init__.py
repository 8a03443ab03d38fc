"""JFR chunks to events to stacks."""
