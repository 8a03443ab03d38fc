"""Which sleeping threads wait for work, as their stacks tell, and which wait within work.

Three kinds of evidence count, from the surest to the weakest:

1. A frame of a place where threads are known to wait for work (`_PLACES`), and no frame of the application.
2. A thread's own loop: the class that the thread was started with lies down itself (`own_loops`). Whoever does that
   waits for the next job or the next time to look after something. A thread that serves somebody waits within what it
   was given to do, so that classes of others, a task of a pool, or a read from a socket, stand in between. Libraries'
   timers, evictors, writers, monitors and queues have this shape, whatever their names.
3. That a thread hardly ever is anywhere else (`sampled`).

That a thread has no frame of the application and hardly runs is no evidence. The threads of a server that answers with
a framework's code alone, and those of a driver that carries answers, look the same while few requests come; nor would
there be any application without prefixes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from pacecar.analysis.profiles.entries import marked
from pacecar.analysis.stats.arrays import Mask
from pacecar.analysis.stats.paths import Paths

#: Where a thread of a pool, of a library, or of the JVM, waits for work to come; never what calls the work itself.
#: Names are those of JDK 11 to 25 and of the versions in use of each library.
_PLACES = (
    "java.util.concurrent.ThreadPoolExecutor.getTask",
    "java.util.concurrent.ForkJoinPool.awaitWork",
    "java.util.concurrent.DelayScheduler.loop",
    "java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue.take",
    "java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue.poll",
    "java.util.concurrent.DelayQueue.take",
    "java.util.concurrent.LinkedBlockingQueue.take",
    "java.util.concurrent.LinkedBlockingDeque.take",
    "java.util.concurrent.ArrayBlockingQueue.take",
    "java.util.concurrent.PriorityBlockingQueue.take",
    "java.util.concurrent.LinkedTransferQueue.take",
    "java.util.concurrent.SynchronousQueue.take",
    "java.util.TimerThread.mainLoop",
    "java.lang.ref.ReferenceQueue.remove",
    "java.lang.ref.NativeReferenceQueue.remove",
    "java.lang.ref.Reference.waitForReferencePendingList",
    "java.lang.VirtualThread.takeVirtualThreadListToUnblock",
    "java.lang.ProcessHandleImpl",
    "java.net.ServerSocket.accept",
    "sun.net.www.http.KeepAliveCache.run",
    "sun.nio.ch.EPoll.wait",
    "sun.nio.ch.Net.accept",
    "sun.nio.ch.SelectorImpl.select",
    "sun.nio.fs.LinuxWatchService.poll",
    # Servers and their pools.
    "org.apache.catalina.core.StandardServer.await",
    "org.apache.tomcat.util.threads.ThreadPoolExecutor.getTask",
    "org.eclipse.jetty.util.thread.QueuedThreadPool.idleJobPoll",
    "org.eclipse.jetty.util.thread.QueuedThreadPool.join",
    "org.eclipse.jetty.util.thread.QueuedThreadPool$Runner.idleJobPoll",
    "org.eclipse.jetty.util.thread.ReservedThreadExecutor$ReservedThread.waitForTask",
    "org.eclipse.jetty.util.thread.ReservedThreadExecutor$ReservedThread.reservedWait",
    "org.jboss.threads.EnhancedQueueExecutor$ThreadBody.getOrAddNode",
    "org.jboss.threads.EnhancedQueueExecutor$PoolThreadNode.park",
    "io.grpc.internal.ServerImpl.awaitTermination",
    # Event loops and schedulers.
    "io.netty.channel.epoll.Native.epollWait",
    "io.netty.channel.uring.Native.ioUringEnter",
    "io.netty.util.HashedWheelTimer$Worker.waitForNextTick",
    "io.netty.util.concurrent.GlobalEventExecutor.takeTask",
    "io.netty.util.concurrent.SingleThreadEventExecutor.takeTask",
    "kotlinx.coroutines.scheduling.CoroutineScheduler$Worker.park",
    "com.lmax.disruptor.ProcessingSequenceBarrier.waitFor",
    # Clients of brokers, and containers of listeners.
    "com.rabbitmq.client.impl.SocketFrameHandler.readFrame",
    "org.apache.kafka.clients.consumer.internals.FetchBuffer.awaitNotEmpty",
    "org.springframework.amqp.rabbit.listener.BlockingQueueConsumer.nextMessage",
    "org.springframework.jms.listener.AbstractPollingMessageListenerContainer.receiveMessage",
    # Clients of others that have nothing to do.
    "okhttp3.internal.concurrent.TaskRunner.awaitTaskToRun",
    "okio.AsyncTimeout.awaitTimeout",
    "okio.AsyncTimeout$Companion.awaitTimeout",
    "org.apache.hc.client5.http.impl.IdleConnectionEvictor.",
    "com.mongodb.internal.connection.DefaultServerMonitor$",
    "oracle.jdbc.driver.BlockSource$ThreadedCachingBlockSource$BlockReleaser.",
    "software.amazon.awssdk.http.apache.internal.conn.IdleConnectionReaper$ReaperTask.",
    "com.hazelcast.internal.partition.impl.MigrationQueue.poll",
    "com.hazelcast.internal.util.concurrent.MPSCQueue.take",
    "com.hazelcast.spi.impl.operationparker.impl.OperationParkerImpl$ExpirationTask.",
    # Senders of telemetry: whatever they wait for, no request does.
    "io.micrometer.core.instrument.push.PushMeterRegistry.publishSafelyOrSkipIfInProgress",
    "io.opentelemetry.sdk.logs.export.BatchLogRecordProcessor$Worker.",
    "io.opentelemetry.sdk.metrics.export.PeriodicMetricReader$Scheduled.",
    "io.opentelemetry.sdk.trace.export.BatchSpanProcessor$Worker.",
    "io.sentry.transport.AsyncHttpTransport$EnvelopeSender.",
    "zipkin2.reporter.internal.AsyncReporter$Flusher.",
    # The profiling agent's own threads; what else of it may be on a stack are calls of the service that set labels.
    "io.pyroscope.vendor.",
    "io.pyroscope.javaagent.",
)
#: With one of these on the stack, a selector is not an event loop's: a blocking call waits with it for its peer.
_BLOCKING = ("oracle.net.nt.TcpNTAdapter.", "org.xnio.nio.SelectorUtils.await")
#: Calls by which a loop of the application's own asks for its next work.
_TAKING = ("org.apache.kafka.clients.consumer.KafkaConsumer.poll",)

#: How a thread begins, before the class that it was started with.
_STARTS = (
    "java.lang.Thread.run",
    "jdk.internal.misc.InnocuousThread.run",
    "io.netty.util.concurrent.FastThreadLocalRunnable.run",
)
#: How the JDK lays a thread down until it is woken up or time has passed. Locks, futures, sockets and files are not
#: among these: somebody holds them, or answers.
_LYING_DOWN = (
    "java.lang.Object.wait",
    "java.lang.Thread.sleep",
    "java.util.concurrent.TimeUnit.sleep",
    "java.util.concurrent.locks.LockSupport.park",
    "java.util.concurrent.locks.AbstractQueuedSynchronizer",
    "java.util.concurrent.CountDownLatch.await",
    "java.util.concurrent.ForkJoinPool.managedBlock",
    "java.util.concurrent.ForkJoinPool.unmanagedBlock",
    "java.util.concurrent.ArrayBlockingQueue.poll",
    "java.util.concurrent.DelayQueue.poll",
    "java.util.concurrent.LinkedBlockingDeque.poll",
    "java.util.concurrent.LinkedBlockingQueue.poll",
    "java.util.concurrent.PriorityBlockingQueue.poll",
    "jdk.internal.misc.Unsafe.park",
)
_OF_THE_JDK = ("java.", "javax.", "jdk.", "sun.")


def idle(stacks: Paths, names: Sequence[str], application: Mask, *, loops: Mask) -> npt.NDArray[np.bool_]:
    """(stacks,) whether a sleeping thread with this stack waits for work, and not within work.

    A stack with a frame of the application is at work: what it waits for is part of a request, unless it is the
    application that asks for its next work. So is one without, such as a driver's thread that waits for an answer,
    unless it is in a place where threads wait for work, or in its own loop. Where it is not known which frames are the
    application's, a loop may be one of its own, and tells nothing by itself.

    Args:
        stacks: frames' numbers, from the entry point to the leaf.
        names: of the frames.
        application: (names,) which are the user's own code; none of them where it is not known which are.
        loops: (stacks,) what `own_loops` says of them.
    """
    deepest = _deepest(stacks, application)
    waits = (_deepest(stacks, marked(names, _PLACES)) >= 0) & (_deepest(stacks, marked(names, _BLOCKING)) < 0)
    if application.any():
        waits |= loops
    found: npt.NDArray[np.bool_] = waits & (deepest < 0) | (_deepest(stacks, marked(names, _TAKING)) > deepest)
    return found


def own_loops(stacks: Paths, names: Sequence[str]) -> npt.NDArray[np.bool_]:
    """(stacks,) whether the class that the thread was started with, and nothing that it calls, lies down there."""
    down = marked(names, _LYING_DOWN)
    aside = marked(names, _STARTS) | _native(names)
    jdk = marked(names, _OF_THE_JDK)
    families = np.unique([name.rpartition(".")[0].partition("$")[0] for name in names], return_inverse=True)[1]
    # Of every stack: what frames are there that are neither the JDK's way to lie down nor how a thread begins?
    kept = stacks.only(~aside[stacks.steps])
    above = kept.only(~down[kept.steps])
    alone = np.ones(len(stacks.lengths), dtype=bool)
    if len(above.steps):
        first = above.steps[np.minimum(above.begins, len(above.steps) - 1)]  # of an empty one something, not looked at
        other = (families[above.steps] != families[first[above.path]]) | jdk[above.steps]
        alone[above.path[other]] = False
    lies = np.flatnonzero(down[kept.steps])[::-1]
    path = kept.path[lies]
    highest = np.full(len(stacks.lengths), len(names) + len(kept.steps), dtype=np.intp)
    highest[path] = lies - kept.begins[path]  # of several the last one set stays, which is the first
    found: npt.NDArray[np.bool_] = alone & (above.lengths > 0) & (above.lengths == highest)
    return found


def _native(names: Sequence[str]) -> Mask:
    """(names,) which are frames of C or of the kernel: of a library, or without a class."""
    native = (".so" in name or ("." not in name and not name.startswith("[")) for name in names)
    return np.fromiter(native, dtype=bool, count=len(names))


def _deepest(stacks: Paths, wanted: Mask) -> npt.NDArray[np.intp]:
    """(stacks,) the place of the last of these frames; -1 where there is none."""
    found = np.full(len(stacks.lengths), -1, dtype=np.intp)
    places = np.flatnonzero(wanted[stacks.steps])
    path = stacks.path[places]
    found[path] = places - stacks.begins[path]  # of several the last one set stays
    return found
