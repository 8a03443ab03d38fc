"""CPU time of threads that look for work, wake others up or lie down: what a pool costs beside what it does."""

from __future__ import annotations

import numpy as np

from pacecar.analysis.metrics.reading import ALL
from pacecar.analysis.profiles.entries import marked
from pacecar.analysis.profiles.sampled import NONE, Sampled
from pacecar.analysis.quantities.measured import Family, Quantities
from pacecar.analysis.quantities.quantity import Lacking, Quantity
from pacecar.analysis.quantities.rows import by_pool, chosen, lacking
from pacecar.analysis.stats.arrays import Mask
from pacecar.model.profiles import ProfileKind

#: Frames below which a thread of a pool hands over, as JDK 8 to 25 and Kotlin's coroutines name them.
HANDING = (
    "java.util.concurrent.ForkJoinPool.scan",
    "java.util.concurrent.ForkJoinPool.awaitWork",
    "java.util.concurrent.ForkJoinPool.signalWork",
    "java.util.concurrent.ForkJoinPool.runWorker",
    "java.util.concurrent.ForkJoinPool.createWorker",
    "java.util.concurrent.ForkJoinPool.tryCompensate",
    "java.util.concurrent.ForkJoinPool.deregisterWorker",
    "java.util.concurrent.ForkJoinPool.tryTrim",
    "java.util.concurrent.ForkJoinPool.deactivate",
    "kotlinx.coroutines.scheduling.CoroutineScheduler$Worker.runWorker",
    "kotlinx.coroutines.scheduling.CoroutineScheduler.signal",
)
#: ... and those below which it works again; some JDKs run a task from within `scan`.
_WORKING = (
    "java.util.concurrent.ForkJoinPool$WorkQueue.topLevelExec",
    "java.util.concurrent.ForkJoinPool$WorkQueue.runTask",
    "java.util.concurrent.ForkJoinTask.doExec",
    "kotlinx.coroutines.scheduling.CoroutineScheduler$Worker.executeTask",
    "kotlinx.coroutines.scheduling.CoroutineScheduler.runSafely",
)


def _read(quantities: Quantities) -> Quantity | Lacking:
    missing, sampled = lacking(quantities, ProfileKind.CPU), quantities.sampled
    if missing is not None or sampled is None:
        return missing or Lacking(reason="a profile of CPU time")
    of_cpu = chosen(quantities, sampled, ProfileKind.CPU, endpoint=ALL, states=(NONE,))
    rows = of_cpu[_handing(sampled)[of_cpu["stack"].to_numpy(dtype=np.intp)]]
    return by_pool(quantities, sampled, rows, name="CPU time of hand-offs per request", endpoint=ALL, of=of_cpu)


def _handing(sampled: Sampled) -> Mask:
    """(stacks,) whether the thread hands over: deeper than any work of its own."""
    names, stacks = sampled.stacks.names, sampled.stacks.whole
    handing = marked(names, HANDING)[stacks.steps]
    working = (marked(names, _WORKING) | sampled.stacks.application)[stacks.steps]
    within = np.arange(len(stacks.steps)) - stacks.begins[stacks.path]
    deepest = np.full((2, len(stacks.lengths)), -1, dtype=np.intp)
    for place, marks in enumerate((handing, working)):
        np.maximum.at(deepest[place], stacks.path[marks], within[marks])
    found: Mask = deepest[0] > deepest[1]
    return found


#: Pool -> ms of CPU time per request that its threads spend on work that is handed over, not on work.
HAND_OFFS = Family(name="hand-offs", read=_read)
