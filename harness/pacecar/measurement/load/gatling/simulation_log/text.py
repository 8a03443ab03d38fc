"""The text format, up to Gatling 3.12: one record a line, fields between tabs, times in ms since the epoch."""

from __future__ import annotations

from collections.abc import Callable

from pacecar.measurement.load.gatling.simulation_log.tables import Run, Tables, UnreadableRecord

_LATEST_MS = 1 << 52


class TextWalk:
    """Reads a text log into `tables`."""

    def __init__(self, tables: Tables) -> None:
        self.run: Run | None = None
        self._tables = tables
        self._codes: dict[bytes, int] = {}
        self._records: dict[bytes, Callable[[list[bytes]], None]] = {
            b"REQUEST": self._request,
            b"USER": self._user,
            b"ERROR": self._error,
            b"RUN": self._run,
            # Not kept: how long a group took, and what the simulation asserts (these lines come before RUN).
            b"GROUP": _not_kept,
            b"ASSERTION": _not_kept,
        }

    def feed(self, data: bytes) -> int:
        """Read the whole lines at the head of `data`; returns how many bytes they had.

        Raises:
            UnreadableRecord: what follows is no record; everything before it is in the tables.
        """
        at = 0
        whole = data.rfind(b"\n") + 1
        try:
            for line in data[:whole].split(b"\n")[:-1]:
                fields = line.rstrip(b"\r").split(b"\t")
                record = self._records.get(fields[0])
                if record is None:
                    raise UnreadableRecord("A line that is no record")
                record(fields)
                at += len(line) + 1
        except UnreadableRecord as error:
            error.position = at
            raise
        except ValueError as error:
            unreadable = UnreadableRecord(f"A line of {fields[0].decode()} with other fields than Gatling writes")
            unreadable.position = at
            raise unreadable from error
        return whole

    def _run(self, fields: list[bytes]) -> None:
        _, simulation, _, start, _, version = fields
        self.run = Run(
            version=version.decode("utf-8", "replace"),
            simulation=simulation.decode("utf-8", "replace"),
            start_ms=_time(start),
        )

    def _request(self, fields: list[bytes]) -> None:
        _, groups, name, start, end, status, message = fields
        start_ms = _time(start)
        ok = _one_of(status, b"KO", b"OK")
        if end.startswith(b"-"):
            self._tables.unmatched += 1  # a message that answers no request ends at Long.MinValue
            return
        end_ms = _time(end)
        codes = self._code(groups.replace(b",", b"/")), self._code(name), self._code(message.strip())
        requests = self._tables.requests
        requests.groups.append(codes[0])
        requests.name.append(codes[1])
        requests.message.append(codes[2])
        requests.start_ms.append(start_ms)
        requests.end_ms.append(end_ms)
        requests.ok.append(ok)

    def _user(self, fields: list[bytes]) -> None:
        _, scenario, event, time = fields
        time_ms = _time(time)
        is_start = _one_of(event, b"END", b"START")
        users = self._tables.users
        users.scenario.append(self._code(scenario))
        users.is_start.append(is_start)
        users.time_ms.append(time_ms)

    def _error(self, fields: list[bytes]) -> None:
        _, message, time = fields
        time_ms = _time(time)
        self._tables.errors.message.append(self._code(message))
        self._tables.errors.time_ms.append(time_ms)

    def _code(self, text: bytes) -> int:
        code = self._codes.get(text)
        if code is None:
            code = self._codes[text] = self._tables.texts.code(text.decode("utf-8", "replace"))
        return code


def _not_kept(fields: list[bytes]) -> None:
    """A record whose fields nobody asks for."""


def _time(field: bytes) -> int:
    # isdigit, because int takes signs, blanks and underscores too.
    if not field.isdigit() or not 0 <= (time_ms := int(field[:17])) < _LATEST_MS:
        raise ValueError(field)
    return time_ms


def _one_of(field: bytes, no: bytes, yes: bytes) -> bool:
    if field == yes:
        return True
    if field == no:
        return False
    raise ValueError(field)
