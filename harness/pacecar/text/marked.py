"""Text that a medium takes as it is: a type for each medium, and one way into it for text that is not ours.

A plain `str` is anybody's text. `Marked` text is composed of templates, which are ours, and of values, which the type
escapes on their way in unless they are of the same type already; the idea is that of `markupsafe.Markup`. What `str`
itself makes of such text (an f-string, `+` from the left, `join`) is a plain `str` again, which mypy refuses where the
marked type is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import LiteralString, Self


class Marked(str):
    """The base of all media. A subclass says how text that is anybody's gets in."""

    __slots__ = ()

    @classmethod
    def escape(cls, text: str) -> Self:
        """`text`, which is anybody's, as this medium shows it. Subclasses must say how."""
        raise NotImplementedError(cls.__name__)

    @classmethod
    def of(cls, template: LiteralString, /, **values: object) -> Self:
        """`template` with `values` in the places of their names; whatever is not of this type is escaped.

        Args:
            template: our own words, never data: a literal where it is called.
            values: by name; numbers and other objects are shown as `str` does.
        """
        return cls(template.format(**{name: cls._taken(value) for name, value in values.items()}))

    @classmethod
    def joined(cls, separator: LiteralString, parts: Iterable[str]) -> Self:
        """All `parts` with `separator`, which is ours, between them; parts that are not of this type are escaped."""
        return cls(separator.join(cls._taken(part) for part in parts))

    @classmethod
    def _taken(cls, value: object) -> str:
        return value if isinstance(value, cls) else cls.escape(str(value))

    def __add__(self, other: str, /) -> Self:
        """Both, one after the other; `other` is escaped unless it is of this type."""
        return type(self)(str.__add__(self, self._taken(other)))
