"""The fields of one binary record, checked as they are read."""

from __future__ import annotations

from pacecar.measurement.load.gatling.simulation_log.tables import UnreadableRecord

#: Longest text or assertion that is believed. Gatling cuts messages at 200 characters.
STRING_BYTES = 1 << 16


class Cut(Exception):
    """The data end inside a record."""


class RecordCursor:
    """Fields of one record, from `at` on."""

    def __init__(self, data: bytes, at: int) -> None:
        self._data = data
        self.at = at

    def byte(self) -> int:
        """An unsigned byte."""
        return self.take(1)[0]

    def flag(self) -> bool:
        """A byte that is 0 or 1."""
        value = self.byte()
        if value > 1:
            raise UnreadableRecord(f"A flag of {value}")
        return bool(value)

    def integer(self) -> int:
        """A signed integer of 4 bytes."""
        return int.from_bytes(self.take(4), "big", signed=True)

    def long(self) -> int:
        """A signed integer of 8 bytes."""
        return int.from_bytes(self.take(8), "big", signed=True)

    def count(self, what: str, limit: int) -> int:
        """An integer from 0 to `limit`."""
        value = self.integer()
        if not 0 <= value <= limit:
            raise UnreadableRecord(f"A number of {what} of {value}")
        return value

    def string(self) -> str:
        """The bytes of a Java string and how they are to be read: 0 Latin-1, 1 UTF-16 of the writer's machine."""
        raw = self.take(self.count("bytes of text", STRING_BYTES))
        if not raw:
            return ""
        coder = self.byte()
        if coder > 1 or (coder == 1 and len(raw) % 2):
            raise UnreadableRecord(f"A text of {len(raw)} bytes in coding {coder}")
        return raw.decode("latin-1") if coder == 0 else raw.decode("utf-16-le", "replace")

    def take(self, size: int) -> bytes:
        """The next `size` bytes. Raises Cut when there are fewer."""
        taken = self._data[self.at : self.at + size]
        if len(taken) < size:
            raise Cut
        self.at += size
        return taken
