"""Pools of threads instead of numbered threads, the JVM's own marked."""

from __future__ import annotations

import re

from pacecar.model.hotspot import Kind, kind_of

#: Numbers of a thread's name: those set off by a separator anywhere, and any at the end.
_NUMBER = re.compile(r"[-_#.:/ ]+\d+(?=$|[-_#.:/ ])|\d+$")
#: What tells one object from another, anew in every run: an address, a hash, a driver's id, a time; and the hash that
#: some put right behind a name: qtp1845623216.
_IDENTITY = re.compile(
    r"@[0-9a-f]{4,}(?![0-9A-Za-z])"
    r"|[-_#.:/ ]*(?<![0-9A-Za-z])(?=[a-f]*\d)[0-9a-f]{6,}(?![0-9A-Za-z])"
    r"|(?<=[A-Za-z])\d{6,}(?![0-9A-Za-z])"
)

#: Characters that the kernel keeps of a thread's name (TASK_COMM_LEN, less the end of the text).
_KERNEL = 15


def pool_of(thread: str) -> str:
    """The pool a thread belongs to: `http-nio-8080-exec-7` is one of `http-nio-exec`, `pricing-3` of `pricing`.

    What the JVM's own threads do is said behind their name: `C2 CompilerThread (JIT)`.
    """
    previous, name = "", _IDENTITY.sub("", thread)
    while name != previous:  # qtp1234567-45: what is left of the first number ends the name
        previous, name = name, _NUMBER.sub("", name)
    kind = kind_of(thread)
    return (name or thread) + ("" if kind is Kind.SERVICE else f" ({kind.value})")


def kernel_pool_of(thread: str) -> str:
    """The pool that a thread of this full name belongs to by the name that the kernel keeps of it."""
    return pool_of(thread[:_KERNEL])
