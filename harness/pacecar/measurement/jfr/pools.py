"""The constant pools of a chunk: what the ids in its events mean.

Pools lie in a chain of events, each naming the distance to the one before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from pacecar.measurement.jfr.chunk import HEADER_BYTES, Chunk
from pacecar.measurement.jfr.metadata import Type, Types, read_strings
from pacecar.measurement.jfr.numbers import Cursor, DamagedChunk, table
from pacecar.measurement.jfr.traces import STACK_TRACE, StackLayout, StackPool
from pacecar.measurement.jfr.values import STRING, FieldValue, Readers

POOL_EVENT = 1
SYMBOL = "jdk.types.Symbol"

#: What is believed of all pools of a chunk together, stack traces aside, because each entry becomes objects: entries
#: and numbers in them (a large service has some hundred thousand), bytes of texts (ten megabytes), bytes of entries
#: that are read value by value, which are the threads (fifty bytes each), and pools (a dozen an event).
_ENTRIES = 1_000_000
_NUMBERS = 6_000_000
_BYTES = 32 << 20
_BYTES_BY_VALUE = 4 << 20
_POOLS = 100_000


class Pools:
    """All constant pools of one chunk."""

    def __init__(self, chunk: Chunk, types: Types) -> None:
        """Read them. Raises DamagedChunk."""
        self._chunk = chunk
        self._types = types
        self._readers = Readers(types)
        self._values: dict[int, dict[int, FieldValue]] = {}
        self._entries = self._numbers = self._bytes = self._by_value = self._pools = 0
        self.stacks = StackPool(chunk)
        at, above = chunk.pools_at, chunk.size
        while True:
            distance = self._read_event(at, above)
            if distance == 0:
                return
            # Only backwards, and never over the same bytes twice: a chain may not be a circle.
            above, at = at, at + distance

    def contents(self, type_name: str, field: str) -> dict[int, FieldValue]:
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
            raise DamagedChunk("a chain of constant pools that leads astray")
        cursor = Cursor(self._chunk.data, at, above)
        end = at + cursor.number()
        cursor = Cursor(self._chunk.data, cursor.at, end if end <= above else -1)
        if cursor.number() != POOL_EVENT:
            raise DamagedChunk("no constant pool where the chain says")
        cursor.number()
        cursor.number()
        distance = cursor.signed()
        cursor.number()
        count = cursor.count(smallest=2)
        self._pools += 1 + count
        if self._pools > _POOLS:
            raise DamagedChunk(f"more than {_POOLS} constant pools")
        for _ in range(count):
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
            raise DamagedChunk(f"more than {_ENTRIES} entries in constant pools")
        begin = cursor.at
        for entry, value in self._entries_of(cursor, described, count):
            pool.setdefault(entry, value)
        self._bytes += cursor.at - begin

    def _entries_of(self, cursor: Cursor, described: Type, count: int) -> Iterable[tuple[int, FieldValue]]:
        if self._readers.is_text(described):
            with _within(cursor, _BYTES - self._bytes):
                texts = read_strings(cursor, count)
            return texts if described.name == STRING else ((entry, (text,)) for entry, text in texts)
        width = self._readers.numbers_of(described)
        if width is not None:
            self._numbers += count * (1 + width)
            if self._numbers > _NUMBERS:
                raise DamagedChunk(f"more than {_NUMBERS} numbers in constant pools")
            ids, *columns = table(self._chunk.bytes, cursor, rows=count, width=1 + width)
            values = zip(*(each.tolist() for each in columns), strict=True)
            return zip(ids.tolist(), values, strict=True)
        read, begin = self._readers.of(described), cursor.at
        with _within(cursor, _BYTES_BY_VALUE - self._by_value):
            entries = [(cursor.number(), read(cursor)) for _ in range(count)]
        self._by_value += cursor.at - begin
        return entries


@contextmanager
def _within(cursor: Cursor, size: int) -> Iterator[None]:
    """Let `cursor` reach no further than `size` bytes from where it is. Raises DamagedChunk when that is too short."""
    end = cursor.end
    cursor.end = max(min(end, cursor.at + size), cursor.at)
    try:
        yield
    except DamagedChunk as error:
        if cursor.end < end:
            raise DamagedChunk("constant pools of more bytes than is plausible") from error
        raise
    finally:
        cursor.end = end
