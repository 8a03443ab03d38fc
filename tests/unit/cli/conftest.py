"""A server that answers what it is told to, for commands that talk to one."""

from unit.integrations.conftest import scripted

__all__ = ["scripted"]
