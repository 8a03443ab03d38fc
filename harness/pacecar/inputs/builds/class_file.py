"""A compiled class without the lines of its source: a comment more moves them, and changes nothing that runs.

Layout: The Java Virtual Machine Specification, chapter 4 (`ClassFile`, `field_info`, `method_info`, `Code_attribute`).
"""

from __future__ import annotations

import io

_MAGIC = b"\xca\xfe\xba\xbe"
_UTF8 = 1
#: Tag of a constant -> bytes behind it. Those of eight bytes take two places.
_CONSTANTS = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2}
_TWO_PLACES = (5, 6)
_CODE, _LINES = b"Code", b"LineNumberTable"
#: Stands where attributes end: how many there were is not kept.
_END = b"end of attributes"
#: Larger ones are not looked into.
MOST_BYTES = 16 << 20


def same_but_for_lines(before: bytes, after: bytes) -> bool:
    """Whether two classes differ in nothing but the lines of the source that their code came from."""
    try:
        return _Reader(before).without_lines() == _Reader(after).without_lines()
    except ValueError:
        return False


class _Reader:
    """One pass over a class file. Everything it reads it keeps, but for tables of lines."""

    def __init__(self, content: bytes) -> None:
        self._file = io.BytesIO(content)
        self._kept: list[bytes] = []
        self._names: dict[int, bytes] = {}

    def without_lines(self) -> list[bytes]:
        """The class in pieces. Raises ValueError when it is none."""
        if self._take(4) != _MAGIC:
            raise ValueError("no class file")
        self._take(4)
        self._constants()
        self._take(6)
        self._take(2 * self._count())  # interfaces
        for _ in range(2):  # fields, methods
            for _ in range(self._count()):
                self._take(6)
                self._attributes()
        self._attributes()
        if self._file.read(1):
            raise ValueError("more than a class")
        return self._kept

    def _constants(self) -> None:
        place, count = 1, self._count()
        while place < count:
            tag = self._take(1)[0]
            if tag == _UTF8:
                self._names[place] = self._take(self._count())
            elif tag in _CONSTANTS:
                self._take(_CONSTANTS[tag])
            else:
                raise ValueError(f"a constant of kind {tag}")
            place += 2 if tag in _TWO_PLACES else 1

    def _attributes(self) -> None:
        for _ in range(self._count(kept=False)):
            name = self._read(2)
            length = self._count(4, kept=False)  # that of code counts its tables of lines, too
            known = self._names.get(int.from_bytes(name, "big"))
            if known == _LINES:
                self._read(length)
                continue
            self._kept.append(name)
            if known == _CODE:
                self._code(ends=self._file.tell() + length)
            else:
                self._take(length)
        self._kept.append(_END)

    def _code(self, *, ends: int) -> None:
        self._take(4)
        self._take(self._count(4))
        self._take(8 * self._count())
        self._attributes()
        if self._file.tell() != ends:
            raise ValueError("code of another length")

    def _count(self, length: int = 2, *, kept: bool = True) -> int:
        return int.from_bytes(self._take(length) if kept else self._read(length), "big")

    def _take(self, length: int) -> bytes:
        found = self._read(length)
        self._kept.append(found)
        return found

    def _read(self, length: int) -> bytes:
        found = self._file.read(length)
        if len(found) < length:
            raise ValueError("it ends too early")
        return found
