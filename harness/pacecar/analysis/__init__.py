"""What the builds differ in, and why.

In: `Pair`s, and the criteria they are judged by. Out: a `Comparison`: a verdict for each metric, and likely causes.
"""
