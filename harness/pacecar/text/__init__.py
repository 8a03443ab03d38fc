"""Text as a type: quantities in words, what a terminal or a page may be given, what is never shown."""
