"""What a service asks of others, as the counter agent counts it in its JVM."""

from __future__ import annotations

from enum import StrEnum


class CallKind(StrEnum):
    """A kind of call; the values stand in the table "calls"."""

    #: Statements and commands of databases and caches, each when it goes out; a batch of statements goes out once.
    STATEMENTS = "statements"
    #: Statements that went out in batches, each of them.
    BATCHED = "batched"
    #: Requests of clients of HTTP and gRPC, and messages to brokers.
    CALLS = "calls"


#: In place of a caller: calls on threads that are within no method of the application.
NO_CALLER = ""
#: All callers together that the agent keeps no count of their own for.
OTHER_CALLERS = "(further callers)"
