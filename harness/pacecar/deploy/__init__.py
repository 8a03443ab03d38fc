"""One fork of the target: up, ready, supervised, down."""
