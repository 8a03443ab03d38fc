"""The versioned document: built once (`build`) from a comparison, kept as two JSON files, read by every reader.

`document.json` holds what a verdict needs and stays below 1 MB; the sidecar `profiles.json` holds all frames,
latency curves and pauses.
"""

from pacecar.reporting.document.files import DocumentError, load_document, verdict_in, write_document
from pacecar.reporting.document.shapes import Document

__all__ = ["Document", "DocumentError", "load_document", "verdict_in", "write_document"]
