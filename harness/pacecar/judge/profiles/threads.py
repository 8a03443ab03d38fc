"""Threads by what they are for: pools instead of numbered threads, and the JVM's own apart from the service's."""

from __future__ import annotations

import re
from enum import StrEnum

#: Numbers of a thread's name: those set off by a separator anywhere, and any at the end.
_NUMBER = re.compile(r"[-_#.:/ ]+\d+(?=$|[-_#.:/ ])|\d+$")


class Kind(StrEnum):
    """What the threads of a pool do."""

    SERVICE = "service"
    JIT = "JIT"
    GC = "GC"
    JVM = "JVM"


#: Beginnings of the names of HotSpot's own threads; the kernel keeps 15 characters of those that are not Java's.
_OWN = {
    Kind.JIT: ("C1 Compiler", "C2 Compiler", "JVMCI", "Sweeper thread"),
    Kind.GC: (
        "GC Thread",
        "G1 ",
        "ParGC",
        "Gang worker",
        "ZDriver",
        "ZDirector",
        "ZWorker",
        "ZStat",
        "XWorker",
        "Shenandoah",
    ),
    Kind.JVM: (
        "VM Thread",
        "VM Periodic",
        "VM Op",
        "Service Thread",
        "Monitor Deflati",
        "Notification Th",
        "Signal Dispatch",
        "Reference Handl",
        "Finalizer",
        "Common-Cleaner",
        "Attach Listener",
        "DestroyJavaVM",
    ),
}


def pool_of(thread: str) -> str:
    """The pool a thread belongs to: `http-nio-8080-exec-7` is one of `http-nio-exec`, `pricing-3` of `pricing`."""
    previous, name = "", thread
    while name != previous:  # qtp1234567-45: what is left of the first number ends the name
        previous, name = name, _NUMBER.sub("", name)
    return name or thread


def kind_of(thread: str) -> Kind:
    """What a thread, or a pool of them, does, by its name."""
    return next((kind for kind, beginnings in _OWN.items() if thread.startswith(beginnings)), Kind.SERVICE)
