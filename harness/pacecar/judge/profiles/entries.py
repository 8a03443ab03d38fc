"""What a stack says about the request it belongs to: the frame that serves it, and whether it serves one at all."""

from __future__ import annotations

from collections.abc import Sequence

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
    "java.lang.ProcessHandleImpl",
    "io.netty.channel.epoll.Native.epollWait",
    "io.netty.util.concurrent.SingleThreadEventExecutor.takeTask",
)


def entry_of(frames: Sequence[str], application: tuple[str, ...]) -> str:
    """The application's frame that serves the request, `OrderController.list`; "" when the stack has none.

    Args:
        frames: from the entry point to the leaf.
        application: prefixes of the class names that are the user's own code.
    """
    first = ""
    for place, frame in enumerate(frames):
        if not frame.startswith(application):
            continue
        if place and frames[place - 1].startswith(_CALLED_BY_REFLECTION):
            return frame
        first = first or frame
    return first


def endpoint_of(label: str, entry: str) -> str:
    """What a sample serves: its label, or the frame that serves the request where the label does not tell.

    A span is labelled with the name it has when it begins; a framework that finds the route later gives no more than
    the method of HTTP.
    """
    return entry if label in _BARE else label


def is_idle(frames: Sequence[str], application: tuple[str, ...]) -> bool:
    """Whether a sleeping thread with this stack waits for work, and not within work.

    A stack with a frame of the application is at work: what it waits for is part of a request.
    """
    if application and any(frame.startswith(application) for frame in frames):
        return False
    return bool(application) or any(frame.startswith(_IDLE) for frame in frames)
