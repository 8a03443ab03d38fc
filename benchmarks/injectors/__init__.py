"""What it costs when several processes share a load, and what is lost when one of them dies."""
