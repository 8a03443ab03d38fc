"""How long event loops sleep within frames of the application, where they should never wait for anything."""

from __future__ import annotations

import numpy as np

from pacecar.analysis.metrics.reading import ALL
from pacecar.analysis.profiles.entries import marked
from pacecar.analysis.profiles.sampled import WAITING
from pacecar.analysis.profiles.stacks import Stacks
from pacecar.analysis.quantities.measured import Family, Quantities
from pacecar.analysis.quantities.quantity import Lacking, Quantity
from pacecar.analysis.quantities.rows import added, chosen, kin, lacking
from pacecar.analysis.stats.arrays import Mask
from pacecar.model.causes import Scope
from pacecar.model.profiles import ProfileKind

#: Beginnings of the names that event loops have: Netty's own, those of Vert.x and Quarkus, of Reactor, of Undertow
#: (XNIO, as `pool_of` calls its threads), of Armeria and gRPC. Threads for blocking calls are called otherwise.
_LOOPS = (
    "nioEventLoopGroup",
    "epollEventLoopGroup",
    "kqueueEventLoopGroup",
    "multiThreadIoEventLoopGroup",
    "vert.x-eventloop-thread",
    "reactor-http-nio",
    "reactor-http-epoll",
    "reactor-http-kqueue",
    "reactor-tcp-",
    "XNIO I/O",
    "armeria-common-worker",
    "grpc-default-worker-ELG",
    "grpc-nio-worker-ELG",
    "webflux-http-nio",
)
#: The methods that such a thread never leaves, whatever it is called and wherever a library has moved Netty to.
_RUNS = (
    "io.netty.channel.nio.NioEventLoop.run",
    "io.netty.channel.epoll.EpollEventLoop.run",
    "io.netty.channel.SingleThreadIoEventLoop.run",
    "org.xnio.nio.WorkerThread.run",
)
_NO_APPLICATION = Lacking(reason="prefixes of the service's own code")


def _blocked(quantities: Quantities) -> Quantity | Lacking:
    missing, sampled = lacking(quantities, ProfileKind.WALL), quantities.sampled
    if missing is not None or sampled is None:
        return missing or Lacking(reason="a wall-clock profile")
    loops = marked(sampled.pools, _LOOPS)
    stacks = sampled.stacks
    if not stacks.application.any():
        return _NO_APPLICATION
    asleep = chosen(quantities, sampled, ProfileKind.WALL, endpoint=ALL, states=(WAITING,))
    # With prefixes, the last frame that is kept is the application's, or else the leaf.
    frame = stacks.kept.last[asleep["stack"].to_numpy(dtype=np.intp)]
    on_loop = loops[asleep["pool"].to_numpy(dtype=np.intp)] | _runs(stacks)[asleep["stack"].to_numpy(dtype=np.intp)]
    within = stacks.application[frame] & on_loop
    rows, frame = asleep[within], frame[within]
    pairs = np.stack([rows["pool"].to_numpy(dtype=np.intp), frame], axis=1)
    keys, code = np.unique(pairs, axis=0, return_inverse=True)
    before, after, poisson = added(quantities, rows, code.reshape(-1), len(keys), endpoint=ALL)
    return Quantity(
        name="Time asleep on an event loop per request",
        unit="ms",
        keys=tuple(Scope(pool=sampled.pools[pool], frame=stacks.names[name]) for pool, name in keys.tolist()),
        baseline=before,
        candidate=after,
        poisson=poisson,
        kin=kin(quantities, sampled, asleep, endpoint=ALL),
    )


def _runs(stacks: Stacks) -> Mask:
    """(stacks,) whether the thread runs an event loop."""
    runs = np.fromiter((name.endswith(_RUNS) for name in stacks.names), dtype=bool, count=len(stacks.names))
    found: Mask = stacks.whole.only(runs[stacks.whole.steps]).lengths > 0
    return found


#: Pool and frame -> ms per request of the whole mix that its threads slept below the frame. A service without event
#: loops has none.
BLOCKED = Family(name="blocked-event-loops", read=_blocked, switch_on="target.application")
