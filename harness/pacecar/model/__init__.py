"""The shapes that rooms hand each other: what is asked for, what was recorded, what was concluded.

In: nothing. Out: frozen dataclasses that hold data and what follows from it alone, and the catalog of metrics.
"""
