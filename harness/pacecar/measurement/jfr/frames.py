"""What a frame is called: `package.Class.method`, with a letter for how it ran.

Letters: `I` interpreted, `1` compiled by C1, `J` compiled by the JIT's last tier (or an unknown one), `i` inlined,
`N` native, `C` C++ (mostly the JVM's own), `K` kernel, `E` not a frame but the profiler's note in place of one,
`?` a type this reader does not know.

Notes are written in brackets, `[not_walkable_Java]`, so that no native function can be taken for one.
"""

from __future__ import annotations

import functools
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
NATIVE_KINDS = frozenset("NC")

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
#: A stack of which only the profiler's own signal handler was seen: CPU and wall-clock sampler met, and what the first
#: of them had interrupted was not to be found.
INTERRUPTED = "[interrupted]"
#: How Linux leaves a signal handler: the C library's frame on x86-64, the kernel's on ARM.
SIGNAL_RETURNS = frozenset({"__restore_rt", "__kernel_rt_sigreturn"})

_LONGEST = 300
#: What is looked at of a name before anything else happens to it. Longer than what is shown, for most of a generated
#: name goes; what ends it goes only within this length. Real names rarely reach 200 characters, the JVM allows 65,535.
_LOOKED_AT = 1024
#: Names whose stable form is remembered: each comes again in every chunk.
_KNOWN = 50_000
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f\u0085\u2028\u2029]")
#: What a JVM or a library numbers anew in every run, and what stays of it. In this order. Repetitions are possessive:
#: none is tried again with fewer characters, so that a name costs time in proportion to its length.
_GENERATED = (
    (re.compile(r"\$\$Lambda(?:\$\d++)?+(?:[/.+](?:0x)?+[0-9a-fA-F]++)?+$"), "$$Lambda"),
    (re.compile(r"[/.+]0x[0-9a-fA-F]++$"), ""),  # hidden classes
    # Spring and others, by CGLIB: Orders$$EnhancerBySpringCGLIB$$1a2b3c4d, Orders$$SpringCGLIB$$0.
    (re.compile(r"\$\$(\w++)(?<=CGLIB)\$\$\w++"), r"$$\1"),
    (re.compile(r"^(?:jdk|com/sun|sun)/proxy\d*+/\$Proxy\d++$"), "jdk/proxy/$Proxy"),
    (re.compile(r"\$Proxy\d++$"), "$Proxy"),
    (re.compile(r"(Generated(?:Method|Constructor|SerializationConstructor)Accessor)\d++$"), r"\1"),
    (re.compile(r"(LambdaForm\$(?:MH|DMH|BMH|VH|LFI))\d++$"), r"\1"),
    # Byte Buddy: Hibernate's proxies, Mockito's mocks, auxiliary types.
    (re.compile(r"\$(ByteBuddy|HibernateProxy|HibernateInstantiator|MockitoMock|auxiliary)\$\w++$"), r"$\1"),
    (re.compile(r"(_\$\$_jvst)\w++$"), r"\1"),  # Javassist
)
#: Methods that compilers number by their place in the class: lambda$list$3, $anonfun$list$3.
_NUMBERED = ("lambda$", "$anonfun$")
#: The same of Kotlin: list$lambda$3, list$lambda-3, one within another list$lambda$3$lambda$0.
_KOTLIN = re.compile(r"\$lambda(?:[$-]\d++)++")
#: What Scala may put behind the number.
_ADAPTED = "adapted"


def frame_text(class_name: str, method: str) -> str:
    """The name of a frame.

    Args:
        class_name: with slashes, as the JVM writes it; the library of a native frame, or "".
        method: without descriptor.
    """
    if class_name.startswith("/"):
        # A program or library by its path, which is another one on every machine.
        class_name = class_name.rpartition("/")[2]
    elif not class_name and not method:
        return UNKNOWN
    elif not class_name:
        return printable(f"[{method}]" if is_note(class_name, method) else method)
    class_name, method = class_name[:_LOOKED_AT], method[:_LOOKED_AT]
    if not method:
        return printable(class_name)
    return printable(f"{stable_class(class_name).replace('/', '.')}.{stable_method(method)}")


def is_note(class_name: str, method: str) -> bool:
    """Whether this native frame is the profiler's note and no frame."""
    return not class_name and (method in _NOTES or method.startswith(_BREAK))


@functools.lru_cache(maxsize=_KNOWN)
def stable_class(name: str) -> str:
    """The class name without what is generated anew in every run, so that the frames of two builds meet.

    `Foo$$Lambda$123/0x0000700c` and JDK 21's `Foo$$Lambda/0x0000700c` become `Foo$$Lambda`; another hidden class
    loses its address, a proxy its number.
    """
    if "$" in name or "/" in name:
        for pattern, stays in _GENERATED:
            name = pattern.sub(stays, name)
    return name


@functools.lru_cache(maxsize=_KNOWN)
def stable_method(name: str) -> str:
    """The method without the number that its compiler gave it: `lambda$list$3` is `lambda$list`."""
    name = _KOTLIN.sub("$lambda", name)
    prefix = next((prefix for prefix in _NUMBERED if name.startswith(prefix)), None)
    while prefix is not None:
        before, _, number = name.rpartition("$")
        if not (number.isdecimal() or number == _ADAPTED) or len(before) <= len(prefix):
            break
        name = before
    return name


def printable(text: str, *, longest: int = _LONGEST) -> str:
    """`text` on one line and not too long: a frame is a line in the table of stacks."""
    return _UNPRINTABLE.sub("?", text[:longest])
