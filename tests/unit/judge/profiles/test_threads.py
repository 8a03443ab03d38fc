"""Threads by what they are for."""

from __future__ import annotations

import pytest

from pacecar.judge.profiles.threads import Kind, kind_of, pool_of


@pytest.mark.parametrize(
    ("thread", "pool"),
    [
        ("http-nio-8080-exec-7", "http-nio-exec"),
        ("pricing-3", "pricing"),
        ("ForkJoinPool-1-worker-12", "ForkJoinPool-worker"),
        ("C2 CompilerThread0", "C2 CompilerThread"),
        ("GC Thread#3", "GC Thread"),
        ("qtp1845623216-45", "qtp"),
        ("main", "main"),
        ("42", "42"),
        ("", ""),
    ],
)
def test_pools(thread: str, pool: str) -> None:
    assert pool_of(thread) == pool


@pytest.mark.parametrize(
    ("thread", "kind"),
    [
        ("C2 CompilerThre", Kind.JIT),
        ("C1 CompilerThread0", Kind.JIT),
        ("G1 Conc#0", Kind.GC),
        ("GC Thread#1", Kind.GC),
        ("VM Thread", Kind.JVM),
        ("http-nio-exec", Kind.SERVICE),
        ("GCalendar-sync", Kind.SERVICE),
    ],
)
def test_kinds(thread: str, kind: Kind) -> None:
    assert kind_of(thread) is kind
