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
        ("Druid-ConnectionPool-Create-1072408673", "Druid-ConnectionPool-Create"),
        ("Tomcat JDBC Pool Cleaner[1072408673:1764236042]", "Tomcat JDBC Pool Cleaner[]"),
        ("cluster-ClusterId{value='6928f0a1b2c3d4e5f6a7b8c9'}-db:27017", "cluster-ClusterId{value=''}-db"),
        ("qtp1845623216-45-acceptor-0@3f8a9c1d-Connector@7a1e", "qtp-acceptor-Connector"),
        ("feedface-worker-1", "feedface-worker"),
        ("42", "42"),
        ("", ""),
    ],
)
def test_pools(thread: str, pool: str) -> None:
    assert pool_of(thread) == pool
