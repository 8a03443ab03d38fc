"""One fork's uploads after its windows: opened, their reach in time, and handed over as files."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from pacecar.receiver.coverage import covered_until_ns
from pacecar.receiver.labels import Labels
from pacecar.receiver.upload import UploadUnreadable, unpack


class Inbox:
    """Reads what a `Spool` wrote into `folder`. For one thread at a time, which is not the server's."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._chunks: list[Path] = []
        self.covered_until_ns = 0
        #: One sentence per upload that could not be used.
        self.unreadable: list[str] = []

    def open_new(self) -> None:
        """Unpack the uploads that came since the last call, oldest first; their bodies are then removed."""
        for body in sorted(self._folder.glob("*.upload")):
            chunk = body.with_suffix(".jfr")
            about = body.with_suffix(".json")
            try:
                content_type = json.loads(about.read_text())["content_type"]
                unpacked = unpack(body, content_type=content_type, into=chunk)
            except UploadUnreadable as error:
                self.unreadable.append(f"Profile upload {int(body.stem)} could not be used: {error}.")
            else:
                if unpacked.labels is not None:
                    _write_labels(unpacked.labels, chunk)
                self._chunks.append(chunk)
                self.covered_until_ns = max(self.covered_until_ns, covered_until_ns(chunk))
            body.unlink()
            about.unlink()

    def move(self, destination: Path) -> tuple[Path, ...]:
        """Move every chunk, and its labels, to `destination` as `0001.jfr`, `0001.labels.json` and so on."""
        destination.mkdir(parents=True, exist_ok=True)
        moved = []
        for number, chunk in enumerate(self._chunks, start=1):
            target = destination / f"{number:04d}.jfr"
            shutil.move(chunk, target)
            if _labels_path(chunk).exists():
                shutil.move(_labels_path(chunk), _labels_path(target))
            moved.append(target)
        self._chunks.clear()
        return tuple(moved)


def _labels_path(chunk: Path) -> Path:
    return chunk.with_suffix(".labels.json")


def _write_labels(labels: Labels, chunk: Path) -> None:
    if labels.contexts or labels.strings:
        _labels_path(chunk).write_text(json.dumps({"contexts": labels.contexts, "strings": labels.strings}))
