"""Experiments about experiments: what this machine's noise shows, and which commit made a service slower."""
