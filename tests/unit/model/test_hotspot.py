"""HotSpot's own threads by their names."""

from __future__ import annotations

import pytest

from pacecar.model.hotspot import Kind, kind_of


@pytest.mark.parametrize(
    ("thread", "kind"),
    [
        ("C2 CompilerThre", Kind.JIT),
        ("C1 CompilerThread0", Kind.JIT),
        ("G1 Conc#0", Kind.GC),
        ("GC Thread#1", Kind.GC),
        ("VM Thread", Kind.JVM),
        ("RuntimeWorker#0", Kind.GC),
        ("StringDedupProcessor", Kind.GC),
        ("XDriver", Kind.GC),
        ("ZUncommitter#0", Kind.GC),
        ("ZUnmapper", Kind.GC),
        ("JFR Thread Sampler", Kind.JVM),
        ("JFR Recording S", Kind.JVM),
        ("Safepoint Clean", Kind.JVM),
        ("AsyncLog Thread", Kind.JVM),
        ("http-nio-exec", Kind.SERVICE),
        ("GCalendar-sync", Kind.SERVICE),
    ],
)
def test_kinds(thread: str, kind: Kind) -> None:
    assert kind_of(thread) is kind
