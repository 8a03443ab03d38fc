"""The tables of one fork: their columns and types.

Times are nanoseconds since the epoch in int64 columns named `*_ns`. A table that was not measured is present with its
columns and no rows.
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a command that only lists runs must not wait for it
    import pandas as pd

#: Column -> dtype of each table of one fork.
TABLES: dict[str, dict[str, str]] = {
    # One request answered (or failed) inside a window. `window` is Window.index; latency from sending, to the
    # microsecond where the kit measured it, else in the whole milliseconds of Gatling's log. `injector` sent it: the
    # number of one of those that shared the load, from 0.
    "requests": {
        "window": "int16",
        "endpoint": "str",
        "start_ns": "int64",
        "latency_ms": "float64",
        "ok": "bool",
        "message": "str",
        "injector": "int16",
    },
    # One request as planned: when it was due, how late the generator sent it, and how long its answer took. `number`
    # tells it from all others of its pair, and stands in what the service says of single requests; NaN where it is not
    # known.
    "arrivals": {
        "window": "int16",
        "endpoint": "str",
        "due_ns": "int64",
        "lag_ms": "float64",
        "took_ms": "float64",
        "number": "float64",
        "injector": "int16",
    },
    # What the service did for single requests, as OpenTelemetry's agent tells it: of the slowest few of each endpoint
    # and of a few usual ones. `number` is that of `arrivals`; `parent` is a `span`, or one of nobody here. `kind` is
    # OpenTelemetry's: server, client, internal, producer, consumer, or "".
    "spans": {
        "number": "float64",
        "span": "int64",
        "parent": "int64",
        "name": "str",
        "kind": "str",
        "thread": "str",
        "failed": "bool",
        "start_ns": "int64",
        "duration_ms": "float64",
    },
    # Counters of the fork and of the load generator at a window's edges (`edge`: start, end): cumulative, but for
    # threads, rss_bytes, descriptors, connections and classes, which are as of then. `reads` and `writes` are calls of
    # the operating system, on files and sockets alike. `run_delay_ns`: how long the living threads that are not the
    # JVM's own were ready to run and on no CPU.
    "counters": {
        "window": "int16",
        "edge": "str",
        "time_ns": "int64",
        "cpu_ns": "int64",
        "allocated_bytes": "float64",
        "jit_ms": "float64",
        "jit_cpu_ns": "float64",
        "run_delay_ns": "float64",
        "gc_count": "float64",
        "gc_ms": "float64",
        "threads": "float64",
        "threads_ended": "float64",
        "rss_bytes": "float64",
        "descriptors": "float64",
        "connections": "float64",
        "classes": "float64",
        "read_bytes": "float64",
        "written_bytes": "float64",
        "reads": "float64",
        "writes": "float64",
        "generator_cpu_ns": "int64",
    },
    # What the service's container has used of what it may use, at the same edges; no rows where it is a plain process.
    # See `measurement.probes.cgroup.Account`.
    "containers": {
        "window": "int16",
        "edge": "str",
        "time_ns": "int64",
        "used_cpu_ns": "float64",
        "cpu_limit": "float64",
        "periods": "float64",
        "throttled_periods": "float64",
        "throttled_ns": "float64",
        "memory_bytes": "float64",
        "memory_limit_bytes": "float64",
        "network_bytes": "float64",
        "oom_kills": "float64",
        "beside_cpu_ns": "float64",
    },
    # The whole machine at the same edges: cumulative seconds from /proc/stat, load average, switches.
    "host": {
        "window": "int16",
        "edge": "str",
        "time_ns": "int64",
        "user_s": "float64",
        "system_s": "float64",
        "idle_s": "float64",
        "iowait_s": "float64",
        "steal_s": "float64",
        "load1": "float64",
        "context_switches": "int64",
    },
    # Processes of this machine that the service was connected to at the same edges, and those that they have started;
    # cumulative.
    "peers": {
        "window": "int16",
        "edge": "str",
        "time_ns": "int64",
        "process": "int32",
        "name": "str",
        "started_ns": "int64",
        "cpu_ns": "int64",
    },
    # CPU time that each pool of threads of the service used in a window, as the scheduler counted it: of its `threads`
    # that lived at both edges. `changed` lived at one edge only, so the pool used more than this. The kernel keeps 15
    # characters of a thread's name.
    "pool_cpu": {"window": "int16", "pool": "str", "cpu_ns": "int64", "threads": "int32", "changed": "int32"},
    # CPU time of each of the processes that were started for the fork (`target.dependencies`), with all that it has
    # started, at the same edges; cumulative.
    "dependencies": {
        "window": "int16",
        "edge": "str",
        "time_ns": "int64",
        "name": "str",
        "cpu_ns": "int64",
    },
    # Calls of databases and other services within a window, by kind (`calls.CallKind`) and by the method of the
    # application that made them, as `package.Class.method`; where nobody counted there are no rows. `caller` is "" for
    # calls of threads that are within no such method: of each kind there is that row, be it of 0.
    "calls": {"window": "int16", "kind": "str", "caller": "str", "count": "int64"},
    # Cumulative, about once a second from just before the load to the first window: requests of the burst sent to the
    # fork, its CPU time, and the CPU time of its compilers within (where that cannot be told, the time they took).
    "warmup": {"time_ns": "int64", "requests": "int64", "cpu_ns": "int64", "jit_ms": "float64"},
    # One scrape of the service's Prometheus page at an edge, and the samples it held.
    "scrapes": {
        "window": "int16",
        "edge": "str",
        "time_ns": "int64",
        "duration_ms": "float64",
        "page_bytes": "int64",
        "series": "int64",
        "error": "str",
    },
    "series": {"window": "int16", "edge": "str", "name": "str", "labels": "str", "value": "float64"},
    # What Prometheus said of a window, `metric` by its name in the configuration; where `error` is not "" there is no
    # value, and it says why. `time_ns` is the end of the stretch that was asked about.
    "queries": {"window": "int16", "metric": "str", "time_ns": "int64", "value": "float64", "error": "str"},
    # Stop-the-world pauses of the fork (`process`: target) and of the injectors (generator).
    "pauses": {"process": "str", "start_ns": "int64", "duration_ms": "float64", "kind": "str", "injector": "int16"},
    # Threads of the fork that the collector kept waiting for memory, by its log.
    "stalls": {"thread": "str", "start_ns": "int64", "duration_ms": "float64"},
    # When an injector stood still for 5 ms and longer, whatever the reason.
    "hiccups": {"start_ns": "int64", "duration_ms": "float64", "injector": "int16"},
    # CPU time of a loop of fixed work on each core of the services, the geometric mean of the `loops` that ran in a
    # window; NaN where none did.
    "pace": {"window": "int16", "core": "int16", "loops": "int32", "loop_ns": "float64"},
    # What a staircase did after the windows, step by step, see `capacity.LoadStep`; a row for each time that a rate was
    # tried. `latency_ms` is infinite where too few were answered, shares are NaN where they are not known, `others` is
    # "" where they took little. `pools`: cores that each pool of threads used in the step of that number.
    "steps": {
        "step": "int16",
        "start_ns": "int64",
        "end_ns": "int64",
        "rate_per_s": "float64",
        "answered_per_s": "float64",
        "latency_ms": "float64",
        "busy": "float64",
        "machine_busy": "float64",
        "generator_at_limit": "bool",
        "others": "str",
    },
    "pools": {"step": "int16", "pool": "str", "cores": "float64"},
    # Profile samples inside windows, added up. `event`: cpu, wall, alloc, lock. `weight`: ns, for alloc bytes.
    "samples": {
        "window": "int16",
        "event": "str",
        "stack": "int32",
        "thread": "str",
        "state": "str",
        "label": "str",
        "samples": "int64",
        "weight": "float64",
    },
    # When they were taken: an event in each window it touches, the first half a million of a fork, without those of
    # allocation. An event begins at `time_ns`, which may lie before the window, and covers `span_ns` from then on;
    # `samples` are those inside the window. `span`, `trace_hi` and `trace_lo` are the ids of the span and of the trace
    # that it was taken in, with the bits of the unsigned ones; 0 for none.
    "moments": {
        "window": "int16",
        "event": "str",
        "time_ns": "int64",
        "span_ns": "int64",
        "stack": "int32",
        "thread": "str",
        "state": "str",
        "label": "str",
        "samples": "int64",
        "span": "int64",
        "trace_hi": "int64",
        "trace_lo": "int64",
    },
    # Distinct stacks: frames from the entry point to the leaf, joined by newlines; `kinds` has a letter per frame.
    "stacks": {"stack": "int32", "frames": "str", "kinds": "str"},
}


#: Tables, and columns by table, that runs of earlier Pacecars lack. A number that may be missing was not measured; any
#: other is 0: one injector sent all of the load. New ones are added.
LATER_TABLES = frozenset(
    {
        "warmup",
        "queries",
        "containers",
        "moments",
        "peers",
        "dependencies",
        "calls",
        "stalls",
        "hiccups",
        "steps",
        "pools",
        "spans",
        "pool_cpu",
        "pace",
    }
)
LATER = {
    "requests": ("injector",),
    "arrivals": ("took_ms", "number", "injector"),
    "pauses": ("injector",),
    "hiccups": ("injector",),
    "counters": (
        *("jit_cpu_ns", "run_delay_ns", "descriptors", "connections"),
        *("classes", "read_bytes", "written_bytes", "reads", "writes"),
    ),
}


def unrecorded(table: str, column: str) -> float:
    """What a column of `LATER` holds where it was not recorded."""
    return math.nan if TABLES[table][column] == "float64" else 0


def empty_table(name: str) -> pd.DataFrame:
    """The table `name` of `TABLES` with no rows."""
    return _empty(name).copy()


@functools.cache
def _empty(name: str) -> pd.DataFrame:
    """The same, made once: a frame of many columns takes a millisecond."""
    import pandas as pd

    return pd.DataFrame({column: pd.Series(dtype=dtype) for column, dtype in TABLES[name].items()})
