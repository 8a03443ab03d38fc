"""What the tests share: files, services, servers and records that they create themselves."""
