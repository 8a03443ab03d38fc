"""Pairs, metrics and frames in, verdicts and causes out."""
