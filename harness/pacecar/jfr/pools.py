"""The constant pools of a chunk: what the ids in its events mean.

Pools lie in a chain of events, each naming the distance to the one before it.
"""

from __future__ import annotations

from collections.abc import Callable

from pacecar.jfr.chunk import HEADER_BYTES, Chunk
from pacecar.jfr.metadata import Type, Types
from pacecar.jfr.numbers import Cursor, Damaged
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

    def content(self, type_name: str, field: str) -> Callable[[int], Value]:
        """A look-up of that field by an entry's id; it gives None for what is not there."""
        described = self._types.named(type_name)
        position = None if described is None else described.position(field)
        if described is None or position is None:
            return lambda _: None
        pool = self._values.get(described.type_id, {})

        def of(entry: int) -> Value:
            # Metadata may lie, so a struct is only believed to be one when it is.
            struct = pool.get(entry) if isinstance(entry, int) else None
            return struct[position] if isinstance(struct, tuple) and len(struct) > position else None

        return of

    def text(self, type_name: str, field: str) -> Callable[[int], str]:
        """A look-up of that field's text by an entry's id, through the pools of symbols and strings; "" if missing."""
        content = self.content(type_name, field)
        strings = self._values.get(self._id(STRING), {})
        symbol = self.text(SYMBOL, "string") if type_name != SYMBOL and self._is_symbol(type_name, field) else None

        def of(entry: int) -> str:
            value = content(entry)
            if isinstance(value, int):
                value = strings.get(value) if symbol is None else symbol(value)
            return value if isinstance(value, str) else ""

        return of

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
        read = self._readers.of(described)
        pool = self._values.setdefault(described.type_id, {})
        count = cursor.count()
        self._entries += count
        if self._entries > _ENTRIES:
            raise Damaged(f"more than {_ENTRIES} entries in constant pools")
        for _ in range(count):
            pool.setdefault(cursor.number(), read(cursor))
