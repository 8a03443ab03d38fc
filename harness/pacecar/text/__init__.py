"""Text as a type: quantities in words, what a terminal or a page may be given, what is never shown.

In: numbers, and text that anybody wrote. Out: text that a terminal or a page accepts as it is.
"""
