"""What Compose adds to the start of a fork, and what it leaves behind."""
