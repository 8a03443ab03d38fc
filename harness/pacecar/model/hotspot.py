"""How HotSpot calls its own threads: JIT compilers, garbage collectors, and the rest of the JVM's."""

from __future__ import annotations

from enum import StrEnum


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
        "ZUncommitter",
        "ZUnmapper",
        "RuntimeWorker",
        "XDriver",
        "XDirector",
        "XWorker",
        "XStat",
        "XUncommitter",
        "XUnmapper",
        "Shenandoah",
        "StringDedup",
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
        "Safepoint Clean",
        "AsyncLog Thread",
        "JFR ",
        "Training replay",
    ),
}


def kind_of(thread: str) -> Kind:
    """What a thread, or a pool of them, does, by its name; the kernel's fifteen characters of it will do."""
    return next((kind for kind, beginnings in _OWN.items() if thread.startswith(beginnings)), Kind.SERVICE)
