"""What deploying by Compose adds, and what it leaves behind."""
