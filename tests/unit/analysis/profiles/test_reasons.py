"""What threads wait for within their work, by stacks as libraries really show them."""

from __future__ import annotations

import pytest

from pacecar.analysis.profiles.entries import marked
from pacecar.analysis.profiles.reasons import WAITS, reasons
from pacecar.analysis.stats.paths import Paths
from support.real_stacks import AT_WORK


def wait_of(frames: list[str], application: tuple[str, ...] = ("shop.",)) -> str:
    (found,) = reasons(Paths.of([range(len(frames))]), frames, marked(frames, application)).tolist()
    return WAITS[found].value


@pytest.mark.parametrize("application", [("shop.",), ()], ids=["prefixes", "no prefixes"])
@pytest.mark.parametrize("thread", AT_WORK)
def test_what_is_waited_for(thread: str, application: tuple[str, ...]) -> None:
    assert wait_of(list(AT_WORK[thread].frames), application) == AT_WORK[thread].wait


@pytest.mark.parametrize(
    ("below", "wait"),
    [
        ("java.net.Inet6AddressImpl.lookupAllHostAddr", "the network"),
        ("com.sun.jndi.ldap.Connection.readReply\njava.util.concurrent.LinkedBlockingQueue.poll", "another service"),
        (
            "org.apache.tomcat.util.net.NioEndpoint$NioSocketWrapper.fillReadBuffer\njava.lang.Object.wait",
            "the network",
        ),
        ("org.xnio.nio.SelectorUtils.await\nsun.nio.ch.SelectorImpl.select", "the network"),
        ("java.util.concurrent.locks.ReentrantLock.tryLock", "a lock"),
        ("java.util.concurrent.StructuredTaskScopeImpl.join", "other threads"),
        ("some.Library.call\njava.lang.Object.wait", "something unknown"),
        ("java.util.concurrent.locks.LockSupport.parkUntil\njdk.internal.misc.Unsafe.park", "time to pass"),
        ("some.Library.call\njava.util.concurrent.locks.LockSupport.parkNanos", "something unknown"),
    ],
)
def test_what_the_application_waits_for_below_its_frame(below: str, wait: str) -> None:
    assert wait_of(["java.lang.Thread.run", "shop.Orders.load", *below.split("\n")]) == wait


def test_a_task_of_a_pool_waits_for_what_it_calls_and_not_for_the_pool() -> None:
    pool = ["java.util.concurrent.ForkJoinWorkerThread.run", "java.util.concurrent.ForkJoinTask.doExec"]
    assert wait_of([*pool, "com.x.Job.exec", "java.lang.Thread.sleep"], ()) == "time to pass"
    assert wait_of([*pool, "com.x.Job.exec", "java.lang.Object.wait"], ()) == "something unknown"
    completed = "java.util.concurrent.CompletableFuture.postComplete"
    assert wait_of([*pool, completed, "com.x.Job.go", "sun.nio.ch.Net.poll"], ()) == "the network"
