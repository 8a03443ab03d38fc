"""Counters and scrapes of the service, its process and the host."""
