"""Builds under load.

In: an `Experiment`, its artifacts and tools. Out: `Pair`s: the tables, pauses and stacks of two fresh JVMs each.
"""
