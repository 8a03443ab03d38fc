"""What several processes cost that share a load, and what is lost with one of them."""
