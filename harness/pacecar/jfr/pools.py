"""The constant pools of a chunk: what the ids in its events mean.

Pools lie in a chain of events, each naming the distance to the one before it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

from pacecar.jfr.chunk import HEADER_BYTES, Chunk
from pacecar.jfr.metadata import Type, Types, read_strings
from pacecar.jfr.numbers import Cursor, Damaged, table
from pacecar.jfr.traces import STACK_TRACE, StackLayout, StackPool
from pacecar.jfr.values import STRING, Readers, Value

POOL_EVENT = 1
SYMBOL = "jdk.types.Symbol"

#: Entries of all pools together that are believed, stack traces aside.
_ENTRIES = 4_000_000


class Pools:
    """All constant pools of one chunk."""

    def __init__(self, chunk: Chunk, types: Types) -> None:
        """Read them. Raises Damaged."""
        self._chunk = chunk
        self._types = types
        self._readers = Readers(types)
        self._values: dict[int, dict[int, Value]] = {}
        self._entries = 0
        self.stacks = StackPool(chunk)
        at, above = chunk.pools_at, chunk.size
        while True:
            distance = self._read_event(at, above)
            if distance == 0:
                return
            # Only backwards, and never over the same bytes twice: a chain may not be a circle.
            above, at = at, at + distance

    def contents(self, type_name: str, field: str) -> dict[int, Value]:
        """That field of every entry of the type's pool, by the entry's id."""
        described = self._types.named(type_name)
        position = None if described is None else described.position(field)
        if described is None or position is None:
            return {}
        # Metadata may lie, so a struct is only believed to be one when it is.
        return {
            entry: struct[position]
            for entry, struct in self._values.get(described.type_id, {}).items()
            if isinstance(struct, tuple) and len(struct) > position
        }

    def texts(self, type_name: str, field: str) -> dict[int, str]:
        """That field's text of every entry by its id, through the pools of symbols and strings; "" if missing."""
        contents = self.contents(type_name, field)
        if type_name != SYMBOL and self._is_symbol(type_name, field):
            meaning: dict[Any, Any] = self._symbols
        else:
            meaning = self._values.get(self._id(STRING), {})
        texts = {entry: meaning.get(value) if isinstance(value, int) else value for entry, value in contents.items()}
        return {entry: text if isinstance(text, str) else "" for entry, text in texts.items()}

    @cached_property
    def _symbols(self) -> dict[int, str]:
        return self.texts(SYMBOL, "string")

    def _id(self, type_name: str) -> int:
        described = self._types.named(type_name)
        return -1 if described is None else described.type_id

    def _is_symbol(self, type_name: str, field: str) -> bool:
        described = self._types.named(type_name)
        position = None if described is None else described.position(field)
        return described is not None and position is not None and described.fields[position].type_id == self._id(SYMBOL)

    def _read_event(self, at: int, above: int) -> int:
        """Read the pool event at `at`, which must end at or before `above`. Returns the signed distance to the next."""
        if not HEADER_BYTES <= at < above:
            raise Damaged("a chain of constant pools that leads astray")
        cursor = Cursor(self._chunk.data, at, above)
        end = at + cursor.number()
        cursor = Cursor(self._chunk.data, cursor.at, end if end <= above else -1)
        if cursor.number() != POOL_EVENT:
            raise Damaged("no constant pool where the chain says")
        cursor.number()
        cursor.number()
        distance = cursor.signed()
        cursor.number()
        for _ in range(cursor.count(smallest=2)):
            described = self._types[cursor.number()]
            if described.name == STACK_TRACE:
                self.stacks.read(cursor, StackLayout.of(described, self._types))
            else:
                self._read_pool(cursor, described)
        return distance

    def _read_pool(self, cursor: Cursor, described: Type) -> None:
        pool = self._values.setdefault(described.type_id, {})
        count = cursor.count()
        self._entries += count
        if self._entries > _ENTRIES:
            raise Damaged(f"more than {_ENTRIES} entries in constant pools")
        for entry, value in self._entries_of(cursor, described, count):
            pool.setdefault(entry, value)

    def _entries_of(self, cursor: Cursor, described: Type, count: int) -> Iterable[tuple[int, Value]]:
        if self._readers.is_text(described):
            texts = read_strings(cursor, count)
            return texts if described.name == STRING else ((entry, (text,)) for entry, text in texts)
        width = self._readers.numbers_of(described)
        if width is not None:
            ids, *columns = table(self._chunk.bytes, cursor, rows=count, width=1 + width)
            values = zip(*(each.tolist() for each in columns), strict=True)
            return zip(ids.tolist(), values, strict=True)
        read = self._readers.of(described)
        return [(cursor.number(), read(cursor)) for _ in range(count)]
