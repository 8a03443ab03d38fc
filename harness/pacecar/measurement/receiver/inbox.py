"""One fork's uploads after its windows: opened, their reach in time, and handed over as files."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from pacecar.measurement.receiver.allowance import Allowance
from pacecar.measurement.receiver.coverage import covered_until_ns
from pacecar.measurement.receiver.labels import LabelsSnapshot
from pacecar.measurement.receiver.upload import UploadUnreadable, unpack
from pacecar.system.disk import room_for

#: Sentences about uploads that are kept of a fork: they stand in its record and in the report.
_REMARKS = 20


class Inbox:
    """Reads what a `Spool` wrote into `folder`. For one thread at a time, which is not the server's."""

    def __init__(self, folder: Path, allowance: Allowance | None = None) -> None:
        self._folder = folder
        self._allowance = allowance or Allowance()
        self._chunks: list[Path] = []
        self.covered_until_ns = 0
        #: One sentence per upload that could not be used, or not all of it; after some, one for all others.
        self.unreadable: list[str] = []

    def open_new(self, jvm: int | None = None) -> None:
        """Unpack the uploads that came since the last call, oldest first; their bodies are then removed.

        With `jvm`, so are those that another JVM has sent, and nothing else becomes of them.
        """
        for body in sorted(self._folder.glob("*.upload")):
            chunk = body.with_suffix(".jfr")
            about = body.with_suffix(".json")
            said = json.loads(about.read_text())
            if jvm is None or said["jvm"] in (None, jvm):
                self._open(body, chunk, content_type=said["content_type"])
            body.unlink()
            about.unlink()

    def _open(self, body: Path, chunk: Path, *, content_type: str) -> None:
        try:
            with room_for(chunk):
                unpacked = unpack(body, content_type=content_type, into=chunk, allowance=self._allowance)
        except UploadUnreadable as error:
            self._remark(f"Profile upload {int(body.stem)} could not be used: {error}.")
            return
        if unpacked.remark is not None:
            self._remark(f"Profile upload {int(body.stem)}: {unpacked.remark}.")
        if unpacked.labels is not None:
            _write_labels(unpacked.labels, chunk)
        self._chunks.append(chunk)
        self.covered_until_ns = max(self.covered_until_ns, covered_until_ns(chunk))

    def _remark(self, sentence: str) -> None:
        if len(self.unreadable) < _REMARKS:
            self.unreadable.append(sentence)
        elif len(self.unreadable) == _REMARKS:
            self.unreadable.append(f"More than {_REMARKS} profile uploads could not be used as they came.")

    def move(self, destination: Path) -> tuple[Path, ...]:
        """Move every chunk, and its labels, to `destination` as `0001.jfr`, `0001.labels.json` and so on."""
        with room_for(destination):
            destination.mkdir(parents=True, exist_ok=True)
            return self._moved(destination)

    def _moved(self, destination: Path) -> tuple[Path, ...]:
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


def _write_labels(labels: LabelsSnapshot, chunk: Path) -> None:
    if labels.contexts or labels.strings:
        with room_for(chunk):
            _labels_path(chunk).write_text(
                json.dumps({"contexts": labels.contexts, "strings": labels.strings}, ensure_ascii=False),
                encoding="utf-8",
            )
