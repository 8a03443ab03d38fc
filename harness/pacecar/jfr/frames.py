"""What a frame is called: `package.Class.method`, with a letter for how it ran.

Letters: `I` interpreted, `1` compiled by C1, `J` compiled by the JIT's last tier (or an unknown one), `i` inlined,
`N` native, `C` C++ (mostly the JVM's own), `K` kernel, `E` not a frame but the profiler's note in place of one,
`?` a type this reader does not know.

Notes are written in brackets, `[not_walkable_Java]`, so that no native function can be taken for one.
"""

from __future__ import annotations

import re

KINDS = {
    "Interpreted": "I",
    "C1 compiled": "1",
    "JIT compiled": "J",
    "Inlined": "i",
    "Native": "N",
    "C++": "C",
    "Kernel": "K",
}
UNKNOWN_KIND = "?"
NOTE_KIND = "E"

#: What async-profiler 4 writes as a native frame without a library where it could not walk on
#: (`Profiler::asgctError` and `StackWalker::walkVM` in its sources) ...
_NOTES = frozenset(
    {
        "GC_active",
        "unknown_Java",
        "not_walkable_Java",
        "not_walkable_not_Java",
        "deoptimization",
        "safepoint",
        "skipped",
        "unknown_state",
        "unexpected_state",
        "no_Java_frame",
        "unknown_nmethod",
        "stale_jmethodID",
        "truncated",
        "",
    }
)
_BREAK = "break_"
#: ... and in place of the frames beyond the depth limit.
TRUNCATED = "[truncated]"
#: A method whose id is in no constant pool.
UNKNOWN = "[unknown]"

_LONGEST = 300
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f\u0085\u2028\u2029]")
_LAMBDA = re.compile(r"\$\$Lambda(?:\$\d+)?(?:[/.+](?:0x)?[0-9a-fA-F]+)?$")
_HIDDEN = re.compile(r"[/.+]0x[0-9a-fA-F]+$")


def frame_text(class_name: str, method: str) -> str:
    """The name of a frame.

    Args:
        class_name: with slashes, as the JVM writes it; the library of a native frame, or "".
        method: without descriptor.
    """
    if not class_name and not method:
        return UNKNOWN
    if not class_name:
        return printable(f"[{method}]" if is_note(class_name, method) else method)
    if class_name.startswith("/"):
        # A program or library by its path, which is another one on every machine.
        class_name = class_name.rpartition("/")[2]
    return printable(f"{stable_class(class_name).replace('/', '.')}.{method}" if method else class_name)


def is_note(class_name: str, method: str) -> bool:
    """Whether this native frame is the profiler's note and no frame."""
    return not class_name and (method in _NOTES or method.startswith(_BREAK))


def stable_class(name: str) -> str:
    """The class name without what the JVM generates anew in every run.

    `Foo$$Lambda$123/0x0000700c` and JDK 21's `Foo$$Lambda/0x0000700c` become `Foo$$Lambda`; another hidden class
    loses its address.
    """
    return _HIDDEN.sub("", _LAMBDA.sub("$$Lambda", name))


def printable(text: str, *, longest: int = _LONGEST) -> str:
    """`text` on one line and not too long: a frame is a line in the table of stacks."""
    return _UNPRINTABLE.sub("?", text[:longest])
