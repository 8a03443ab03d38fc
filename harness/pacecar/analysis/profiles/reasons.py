"""What a thread waits for within its work, by its stack: for whom by the library that the application called, else how.

Names are those of the JDK 11 to 25 and of widespread drivers and clients. A stack that none of these rules knows waits
for something unknown, and nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import numpy as np

from pacecar.analysis.profiles.entries import marked
from pacecar.analysis.stats.arrays import Indices, Mask
from pacecar.analysis.stats.paths import Paths


class Wait(StrEnum):
    """What is waited for, as people read it."""

    CONNECTION = "a connection of a pool"
    DATABASE = "a database"
    HTTP = "another service"
    BROKER = "a message broker"
    LOCK = "a lock"
    MEMORY = "memory that the collector gives back"
    THREADS = "other threads"
    SLEEP = "time to pass"
    FILE = "files"
    NETWORK = "the network"
    UNKNOWN = "something unknown"


#: Beginnings of frames below the application's, in the order in which they are believed: whoever waits for a connection
#: does not wait for the database yet, and a client that hands its call to another thread waits for the other service.
_RULES: tuple[tuple[Wait, tuple[str, ...]], ...] = (
    # Whoever waits for memory does so in the midst of anything. A JDK without symbols shows none of these frames.
    (
        Wait.MEMORY,
        (
            "libjvm.so.ZPageAllocator::alloc_page_stall",
            "libjvm.so.ZPageAllocator::stall",
            "libjvm.so.ZPageAllocator::alloc_page_or_stall",
            "libjvm.so.XPageAllocator::alloc_page_stall",
            "libjvm.so.ShenandoahControlThread::handle_alloc_failure",
            "libjvm.so.ShenandoahController::handle_alloc_failure",
            "libjvm.so.ShenandoahPacer::pace_for_alloc",
        ),
    ),
    (
        Wait.CONNECTION,
        (
            "com.zaxxer.hikari.pool.HikariPool.getConnection",
            "com.zaxxer.hikari.util.ConcurrentBag.borrow",
            "io.agroal.pool.ConnectionPool.getConnection",
            "io.agroal.pool.ConnectionPool.handlerFromSharedCache",
            "org.apache.tomcat.jdbc.pool.ConnectionPool.borrowConnection",
            "org.apache.commons.pool2.impl.GenericKeyedObjectPool.borrowObject",
            "org.apache.commons.pool2.impl.GenericObjectPool.borrowObject",
            "com.alibaba.druid.pool.DruidDataSource.getConnection",
            "com.mchange.v2.resourcepool.BasicResourcePool.",
            "oracle.ucp.",
            "org.apache.http.impl.conn.PoolingHttpClientConnectionManager.leaseConnection",
            "org.apache.http.pool.AbstractConnPool",
            "org.apache.hc.core5.pool.",
        ),
    ),
    (
        Wait.DATABASE,
        (
            "org.postgresql.",
            "com.mysql.cj.",
            "org.mariadb.jdbc.",
            "oracle.jdbc.",
            "com.microsoft.sqlserver.jdbc.",
            "org.h2.",
            "org.hsqldb.",
            "org.sqlite.",
            "io.r2dbc.",
            "com.mongodb.",
            "redis.clients.jedis.",
            "io.lettuce.core.",
            "org.redisson.",
            "com.hazelcast.",
            "org.apache.ignite.",
            "org.infinispan.",
            "com.datastax.oss.driver.",
            "org.neo4j.driver.",
            "org.elasticsearch.client.",
            "co.elastic.clients.",
        ),
    ),
    (
        Wait.BROKER,
        (
            "org.apache.kafka.clients.",
            "com.rabbitmq.client.",
            "org.springframework.amqp.rabbit.core.RabbitTemplate.",
            "org.apache.activemq.",
            "com.ibm.mq.",
            "com.ibm.msg.client.",
            "io.nats.client.",
            "org.apache.pulsar.client.",
        ),
    ),
    (
        Wait.HTTP,
        (
            "jdk.internal.net.http.",
            "sun.net.www.protocol.http",
            "org.apache.hc.client5.",
            "org.apache.http.impl.",
            "okhttp3.",
            "io.grpc.stub.BlockingClientCall",
            "io.grpc.stub.ClientCalls",
            "software.amazon.awssdk.",
            "com.linecorp.armeria.client.",
            "com.sun.jndi.ldap.",
            "reactor.netty.http.client.",
            "org.eclipse.jetty.client.",
        ),
    ),
    # Before what a thread waits for in the JVM: a task's own frames, above, may be those of futures and pools.
    (
        Wait.NETWORK,
        (
            "sun.nio.ch.Net.",
            "sun.nio.ch.NioSocketImpl.",
            "sun.nio.ch.SocketChannelImpl.",
            "java.net.Inet4AddressImpl.lookupAllHostAddr",
            "java.net.Inet6AddressImpl.lookupAllHostAddr",
            "java.net.Socket",
            "java.net.PlainSocketImpl.",
            "sun.security.ssl.",
            "org.apache.tomcat.util.net.NioEndpoint$NioSocketWrapper.",
            "org.xnio.nio.SelectorUtils.await",
        ),
    ),
    (
        Wait.LOCK,
        (
            "libjvm.so.ObjectMonitor::enter",
            "libjvm.so.ObjectSynchronizer::enter",
            "java.util.concurrent.locks.ReentrantLock.lock",
            "java.util.concurrent.locks.ReentrantLock.tryLock",
            "java.util.concurrent.locks.ReentrantReadWriteLock$",
            "java.util.concurrent.locks.StampedLock.",
            "java.util.concurrent.Semaphore.acquire",
            "java.util.concurrent.Semaphore.tryAcquire",
        ),
    ),
    (
        Wait.THREADS,
        (
            "java.util.concurrent.FutureTask.get",
            "java.util.concurrent.CompletableFuture.get",
            "java.util.concurrent.CompletableFuture.join",
            "java.util.concurrent.CompletableFuture.timedGet",
            "java.util.concurrent.CompletableFuture.waitingGet",
            "java.util.concurrent.ForkJoinTask.awaitDone",
            "java.util.concurrent.ForkJoinTask.get",
            "java.util.concurrent.ForkJoinTask.join",
            "java.util.concurrent.ForkJoinTask.invoke",
            "java.util.concurrent.StructuredTaskScope",
            "java.util.concurrent.Exchanger.",
            "com.google.common.util.concurrent.AbstractFuture",
            "kotlinx.coroutines.BlockingCoroutine.joinBlocking",
            "reactor.core.publisher.Blocking",
            "scala.concurrent.Await$.",
            "java.util.concurrent.CountDownLatch.await",
            "java.util.concurrent.CyclicBarrier.",
            "java.util.concurrent.Phaser.",
            "java.util.concurrent.ThreadPoolExecutor.awaitTermination",
            "java.util.concurrent.AbstractExecutorService.invokeA",
            "java.lang.Thread.join",
            "java.util.concurrent.LinkedBlockingQueue.",
            "java.util.concurrent.ArrayBlockingQueue.",
            "java.util.concurrent.SynchronousQueue.",
            "java.util.concurrent.LinkedTransferQueue.",
        ),
    ),
    (Wait.SLEEP, ("java.lang.Thread.sleep", "java.util.concurrent.TimeUnit.sleep")),
    (
        Wait.FILE,
        (
            "java.io.FileInputStream.",
            "java.io.FileOutputStream.",
            "java.io.RandomAccessFile.",
            "sun.nio.ch.FileDispatcherImpl.",
            "sun.nio.ch.UnixFileDispatcherImpl.",
            "sun.nio.ch.FileChannelImpl.",
            "sun.nio.fs.",
        ),
    ),
)
#: Who calls these itself waits until a time has come, or another thread wakes it before. In libraries they are steps of
#: waiting for something else.
_TIMED_PARKS = ("java.util.concurrent.locks.LockSupport.parkNanos", "java.util.concurrent.locks.LockSupport.parkUntil")
WAITS = tuple(Wait)


def reasons(stacks: Paths, names: Sequence[str], application: Mask) -> Indices:
    """(stacks,) what a thread that sleeps with each stack waits for, as a number into `WAITS`.

    Only what the application has called counts, and where nothing of it is on the stack, all of it.

    Args:
        stacks: frames' numbers, from the entry point to the leaf.
        names: of the frames.
        application: (names,) which are the user's own code.
    """
    own = application[stacks.steps]
    within = np.arange(len(stacks.steps)) - stacks.begins[stacks.path]
    deepest = np.full(len(stacks.lengths), -1, dtype=np.intp)
    np.maximum.at(deepest, stacks.path[own], within[own])
    below = within > deepest[stacks.path]
    found = np.full(len(stacks.lengths), WAITS.index(Wait.UNKNOWN), dtype=np.intp)
    known = {wait: marked(names, beginnings)[stacks.steps] & below for wait, beginnings in _RULES}
    called_by_own = (deepest >= 0)[stacks.path] & (within == deepest[stacks.path] + 1)
    known[Wait.SLEEP] |= marked(names, _TIMED_PARKS)[stacks.steps] & called_by_own
    for wait in reversed(known):  # what is believed most comes last and stays
        found[stacks.path[known[wait]]] = WAITS.index(wait)
    borrows = np.full(len(stacks.lengths), len(stacks.steps), dtype=np.intp)
    np.minimum.at(borrows, stacks.path[known[Wait.CONNECTION]], within[known[Wait.CONNECTION]])
    borrowed = found == WAITS.index(Wait.CONNECTION)
    for wait in (Wait.NETWORK, Wait.DATABASE):
        # A pool that opens a connection, or asks whether one is alive, has one to give: its peer is what is waited for.
        inside = stacks.path[known[wait] & (within > borrows[stacks.path])]
        found[inside[borrowed[inside]]] = WAITS.index(wait)
    return found
