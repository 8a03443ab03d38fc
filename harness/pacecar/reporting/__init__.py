"""The document, and what is rendered from it alone.

In: a `Comparison` and the manifest of its run. Out: a `Document`, and it as a page, a comment or another format.
"""
