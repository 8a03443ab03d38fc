"""What the label ids in a chunk's events mean: `0001.labels.json`, written beside `0001.jfr` by the receiver.

`{"contexts": {"7": {"endpoint": "GET /a"}}, "strings": {"9": "GET /b"}}`: `contextId` of an event names a context,
`spanName` (from the OpenTelemetry extension) a string.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pacecar.measurement.jfr.frames import printable

#: The receiver writes no larger ones.
_LARGEST = 32 << 20
_LONGEST = 200
_ENDPOINT = "endpoint"


class Labels:
    """The labels of one file of chunks."""

    def __init__(self, *, contexts: dict[int, dict[str, str]], strings: dict[int, str]) -> None:
        self._contexts = contexts
        self._strings = strings
        #: Context -> its label. A context may have very many labels, and samples in it very many spans.
        self._texts: dict[int, str] = {}

    @classmethod
    def beside(cls, chunk: Path) -> Labels:
        """The labels that lie beside a file of chunks; none when there is no such file or it makes no sense."""
        path = chunk.with_suffix(".labels.json")
        try:
            content: Any = json.loads(path.read_bytes()) if path.stat().st_size <= _LARGEST else {}
            return cls(
                contexts={
                    int(key): {str(k): str(v) for k, v in pairs.items()} for key, pairs in content["contexts"].items()
                },
                strings={int(key): str(text) for key, text in content["strings"].items()},
            )
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return cls(contexts={}, strings={})

    def text(self, *, context: int, span_name: int) -> str:
        """What samples of this context and span are labelled with: the span's name, the endpoint, or all labels."""
        if span_name and span_name in self._strings:
            return printable(self._strings[span_name], longest=_LONGEST)
        if context not in self._contexts:
            return ""
        if context not in self._texts:
            labels = self._contexts[context]
            text = labels.get(_ENDPOINT) or ", ".join(f"{key}={value}" for key, value in sorted(labels.items()))
            self._texts[context] = printable(text, longest=_LONGEST)
        return self._texts[context]
