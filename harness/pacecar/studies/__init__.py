"""Experiments about experiments: what this machine's noise allows to be seen."""
