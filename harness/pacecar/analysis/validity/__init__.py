"""What may take part: rules that never look at what is compared."""
