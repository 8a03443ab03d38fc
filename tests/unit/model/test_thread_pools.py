"""Threads by their pools."""

from __future__ import annotations

import pytest

from pacecar.model.thread_pools import pool_of


@pytest.mark.parametrize(
    ("thread", "pool"),
    [
        ("http-nio-8080-exec-7", "http-nio-exec"),
        ("pricing-3", "pricing"),
        ("ForkJoinPool-1-worker-12", "ForkJoinPool-worker"),
        ("C2 CompilerThread0", "C2 CompilerThread (JIT)"),
        ("GC Thread#3", "GC Thread (GC)"),
        ("qtp1845623216-45", "qtp"),
        ("main", "main"),
        ("42", "42"),
        ("", ""),
    ],
)
def test_pools(thread: str, pool: str) -> None:
    assert pool_of(thread) == pool
