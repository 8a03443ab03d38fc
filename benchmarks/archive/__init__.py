"""How long it takes to list runs."""
