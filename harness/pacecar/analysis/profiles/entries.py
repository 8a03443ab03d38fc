"""What stacks say about the requests they belong to: the frame that serves one, and whether they serve one at all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from pacecar.analysis.stats.calltree import Places
from pacecar.analysis.stats.paths import Mask, Paths

#: How frameworks call the method that serves a request; the application's frame after one of these is the handler,
#: while filters and wrappers of the application above it are called plainly.
_CALLED_BY_REFLECTION = (
    "java.lang.reflect.Method.invoke",
    "jdk.internal.reflect.",
    "java.lang.invoke.",
    "sun.reflect.",
)
#: Labels that name no endpoint.
_BARE = frozenset({"", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HTTP"})
#: Where a thread of a pool, or of the JVM, waits for work to come; never what calls the work itself.
_IDLE = (
    "java.util.concurrent.ThreadPoolExecutor.getTask",
    "java.util.concurrent.ForkJoinPool.awaitWork",
    "java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue.take",
    "java.util.concurrent.DelayQueue.take",
    "java.lang.ref.ReferenceQueue.remove",
    "java.lang.ref.Reference.waitForReferencePendingList",
    "sun.nio.ch.EPoll.wait",
    "sun.nio.ch.Net.accept",
    "java.net.ServerSocket.accept",
    "sun.nio.ch.SelectorImpl.select",
    "java.util.concurrent.LinkedBlockingQueue.take",
    "java.util.concurrent.LinkedBlockingDeque.take",
    "java.util.concurrent.ArrayBlockingQueue.take",
    "java.util.concurrent.PriorityBlockingQueue.take",
    "java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue.poll",
    "java.util.TimerThread.mainLoop",
    "java.lang.ProcessHandleImpl",
    "org.apache.catalina.core.StandardServer.await",
    "org.apache.tomcat.util.threads.ThreadPoolExecutor.getTask",
    "org.eclipse.jetty.util.thread.QueuedThreadPool.idleJobPoll",
    "org.eclipse.jetty.util.thread.QueuedThreadPool$Runner.idleJobPoll",
    "org.eclipse.jetty.util.thread.ReservedThreadExecutor$ReservedThread.waitForTask",
    "org.eclipse.jetty.util.thread.ReservedThreadExecutor$ReservedThread.reservedWait",
    "org.jboss.threads.EnhancedQueueExecutor$ThreadBody.getOrAddNode",
    "org.jboss.threads.EnhancedQueueExecutor$PoolThreadNode.park",
    "io.netty.channel.epoll.Native.epollWait",
    "io.netty.util.concurrent.SingleThreadEventExecutor.takeTask",
    "okhttp3.internal.concurrent.TaskRunner.awaitTaskToRun",
    "okio.AsyncTimeout.awaitTimeout",
    "okio.AsyncTimeout$Companion.awaitTimeout",
    # The profiling agent's own threads; what else of it may be on a stack are calls of the service that set labels.
    "io.pyroscope.vendor.",
    "io.pyroscope.javaagent.",
)


def marked(names: Sequence[str], prefixes: tuple[str, ...]) -> Mask:
    """(names,) which of them begin with one of `prefixes`."""
    return np.fromiter((name.startswith(prefixes) for name in names), dtype=bool, count=len(names))


def entries(stacks: Paths, names: Sequence[str], application: Mask) -> Places:
    """(stacks,) the application's frame that serves the request, `OrderController.list`; -1 when a stack has none.

    Args:
        stacks: frames' numbers, from the entry point to the leaf.
        names: of the frames.
        application: (names,) which are the user's own code.
    """
    own = application[stacks.steps]
    reflective = marked(names, _CALLED_BY_REFLECTION)[stacks.steps]
    called = np.zeros(len(own), dtype=bool)
    called[1:] = reflective[:-1] & (stacks.path[1:] == stacks.path[:-1])
    handlers = stacks.first(own & called)
    return np.where(handlers >= 0, handlers, stacks.first(own))


def is_bare(labels: Sequence[str]) -> Mask:
    """(labels,) which do not tell what a sample serves, so that the frame that serves the request does.

    A span is labelled with the name it has when it begins; a framework that finds the route later gives no more than
    the method of HTTP.
    """
    return np.fromiter((label in _BARE for label in labels), dtype=bool, count=len(labels))


def idle(stacks: Paths, names: Sequence[str], application: Mask) -> npt.NDArray[np.bool_]:
    """(stacks,) whether a sleeping thread with this stack waits for work, and not within work.

    A stack with a frame of the application is at work: what it waits for is part of a request. So is one without, such
    as a driver's thread that waits for an answer, unless it is in a place where threads wait for work.

    Args:
        stacks: as in `entries`.
        names: of the frames.
        application: as in `entries`; none of them where it is not known which are.
    """
    waits = stacks.only(marked(names, _IDLE)[stacks.steps]).lengths > 0
    found: npt.NDArray[np.bool_] = waits & (stacks.only(application[stacks.steps]).lengths == 0)
    return found
