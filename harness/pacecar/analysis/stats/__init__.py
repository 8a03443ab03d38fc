"""Estimates and tests over pairs: numbers in, numbers out."""
