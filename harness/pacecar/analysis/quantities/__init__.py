"""What was recorded beside the metrics, by key: forks of both sides in, amounts of each key on each fork out.

A module a family. None says what an amount means for a metric; that is for the kinds of causes.
"""
