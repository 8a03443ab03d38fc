"""What two synthetic builds cost, and how much everything scatters.

The scatter is that of recorded pairs of the sample service. `README.md` says what is recorded and what is assumed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

SECOND = 1_000_000_000
WINDOWS, WINDOW_S, RATE = 4, 5, 150
REQUESTS = WINDOWS * WINDOW_S * RATE
#: Standard deviations of logarithms. The machine of a pair affects both sides equally; each fork adds the rest.
MACHINE, LATENCY, CPU, ALLOCATION, PAUSES = 0.056, 0.0128, 0.012, 0.0024, 0.06
#: Assumed: of the cost of each frame within a fork, and of requests to one endpoint.
FRAME, REQUEST = 0.06, 0.6
#: What a sample stands for: CPU per tick of the kernel, wall-clock time per interval of the profiler, bytes.
TICK_MS, WALL_MS, SAMPLE_BYTES = 4.0, 50.0, 524_288.0
POOL = "http-nio-8080-exec"
IDLE = (
    "java.lang.Thread.run\njava.util.concurrent.ThreadPoolExecutor.getTask\n"
    "java.util.concurrent.LinkedBlockingQueue.take\nsun.misc.Unsafe.park"
)


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where something is spent: a stack, its endpoint, and its threads.

    Attributes:
        frames: from the entry point to the leaf, joined by newlines.
        endpoint: that it serves; "" if no request waits for it.
        pool: name of its threads without their numbers.
    """

    frames: str
    endpoint: str = ""
    pool: str = POOL


@dataclass(frozen=True, kw_only=True)
class Build:
    """What one build costs, before noise; amounts per request of the whole mix.

    Attributes:
        cpu: place -> ms on a CPU.
        waits: place -> ms asleep within work.
        allocated: place -> bytes.
        unseen_ms: time of every request that no instrument sees.
        run_delay_ms: runnable without a CPU.
        jit_ms: CPU time of the compilers.
        pause_ms: how long each pause of the JVM lasts.
        pauses: how many per second.
        generator_pause_ms: how long the load generator stalls, three times in four seconds.
        idle: pool -> threads that wait for work.
        gained: threads that the pool `leaking` gains in each window.
        calls: metric of calls -> calls per request, and seconds that each takes; NaN if they are not timed.
        labels: metric -> values of its label `uri`.
        heap_bytes: live after the last window.
        rss_bytes: of the process, without the heap.
        failing: share of requests that fail.
        flags: settings that the JVM reports.
        interpreted: stacks whose deepest frame is interpreted.
    """

    cpu: Mapping[Place, float]
    waits: Mapping[Place, float]
    allocated: Mapping[Place, float]
    unseen_ms: float = 0.3
    run_delay_ms: float = 0.05
    jit_ms: float = 0.03
    pause_ms: float = 3.2
    pauses: float = 2.5
    generator_pause_ms: float = 0.7
    idle: Mapping[str, int] = field(default_factory=lambda: {"pricing": 4, "confirmations": 2})
    gained: int = 0
    calls: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    labels: Mapping[str, int] = field(default_factory=lambda: {"http_server_requests_seconds_count": 5})
    heap_bytes: float = 60e6
    rss_bytes: float = 325e6
    failing: float = 0.0
    flags: tuple[str, ...] = ("-XX:+UseG1GC",)
    interpreted: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True)
class Mix:
    """Endpoints, the share of requests to each, and whether samples have their names."""

    shares: Mapping[str, float]
    labelled: bool
