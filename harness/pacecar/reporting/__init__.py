"""The document, and what is rendered from it alone."""
