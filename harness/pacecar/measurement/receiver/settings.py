"""The environment that makes the profiling agent sample as asked and upload to a `Receiver`."""

from __future__ import annotations

from collections.abc import Mapping

from pacecar.model.experiment import Profiler

#: Deeper stacks are cut here, at the entry point's end. async-profiler then adds a frame called `truncated`,
#: but only if it is told to keep fewer frames than it allows: hence one less.
MAX_DEPTH = 512
_KEPT_DEPTH = MAX_DEPTH - 1

#: How often spans are exported, and how many wait meanwhile: of a thousand requests a second, ten spans each.
_EXPORT_DELAY_MS = 1000
_EXPORT_QUEUE = 16_384

#: Leaves out of every chunk the machine's description, the libraries' paths, and the JVM's command line and properties,
#: which may hold passwords (`JfrOption` in async-profiler's arguments.h: system info 1, properties 2, libraries 4).
_JFR_OPTIONS = 7
#: In an address of uploads: our counter agent, which starts first, puts the id of its JVM here.
_JVM = "{jvm}"


def agent_environment(
    profiler: Profiler,
    *,
    server: str,
    application: str,
    labels: Mapping[str, str],
    scratch: str | None = None,
) -> dict[str, str]:
    """Settings of `io.pyroscope:agent` for one fork.

    CPU is sampled with `ctimer`, which needs no privileges, and wall-clock time beside it by the same profiler.
    Times of samples come from the monotonic clock, so that they cannot jump within a chunk.

    Args:
        profiler: intervals, in the units of its fields.
        server: address from `Receiver.fork`, to which the id of the JVM is added; the agent adds `/ingest`.
        application: name of the profiles.
        labels: static labels, such as side and pair.
        scratch: folder, as the JVM sees it, for the profiler's library and files; None for the JVM's own. It has to be
            one that libraries may be loaded from.
    """
    extra = (
        f"wall={_ns(profiler.wall_interval_ms)}",
        "clock=monotonic",
        f"jstackdepth={MAX_DEPTH}/{_KEPT_DEPTH}",
        f"jfropts={_JFR_OPTIONS}",
    )
    # The agent reads whole numbers only.
    environment = {
        "PYROSCOPE_AGENT_ENABLED": "true",
        "PYROSCOPE_APPLICATION_NAME": application,
        "PYROSCOPE_LABELS": ",".join(f"{key}={value}" for key, value in labels.items()),
        "PYROSCOPE_SERVER_ADDRESS": f"{server}/{_JVM}",
        "PYROSCOPE_FORMAT": "jfr",
        "PYROSCOPE_PROFILER_EVENT": "ctimer",
        "PYROSCOPE_PROFILING_INTERVAL": f"{round(profiler.cpu_interval_ms * 1e3)}us",
        "PYROSCOPE_PROFILER_ALLOC": str(profiler.allocation_bytes),
        "PYROSCOPE_PROFILER_LOCK": str(_ns(profiler.lock_threshold_ms)),
        "PYROSCOPE_AP_EXTRA_ARGUMENTS": ",".join(extra),
        "PYROSCOPE_UPLOAD_INTERVAL": f"{round(profiler.upload_interval_s * 1e3)}ms",
        "PYROSCOPE_LOG_LEVEL": "warn",
        "PYROSCOPE_AP_LOG_LEVEL": "warn",
    }
    return environment | ({"PYROSCOPE_TMP_DIR": scratch} if scratch is not None else {})


def token_environment(token: str) -> dict[str, str]:
    """The bearer token that the receiver wants; apart, because it must not be written down."""
    return {"PYROSCOPE_AUTH_TOKEN": token}


def span_environment(extension: str, *, traces: str | None = None) -> dict[str, str]:
    """Settings of OpenTelemetry's agent: spans tell the profiler's samples apart.

    Args:
        extension: jar of Pyroscope's extension, as the JVM sees it, told not to start a profiler of its own.
        traces: where spans of requests that begin a trace are sent (`UploadEndpoint.traces`); None for nowhere.
    """
    environment = {
        "OTEL_JAVAAGENT_EXTENSIONS": extension,
        "OTEL_PYROSCOPE_START_PROFILING": "false",
        "OTEL_TRACES_EXPORTER": "none",
        "OTEL_METRICS_EXPORTER": "none",
        "OTEL_LOGS_EXPORTER": "none",
    }
    if traces is None:
        return environment
    return environment | {
        "OTEL_TRACES_EXPORTER": "otlp",
        "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/protobuf",
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": traces,
        # Whatever is no request of ours is of no use, and what it is recorded for would cost.
        "OTEL_TRACES_SAMPLER": "parentbased_always_off",
        "OTEL_BSP_SCHEDULE_DELAY": str(_EXPORT_DELAY_MS),
        "OTEL_BSP_MAX_QUEUE_SIZE": str(_EXPORT_QUEUE),
    }


def trace_token_environment(token: str) -> dict[str, str]:
    """The same token for the other agent; OTLP wants values of headers percent-encoded."""
    return {"OTEL_EXPORTER_OTLP_TRACES_HEADERS": f"Authorization=Bearer%20{token}"}


def _ns(milliseconds: float) -> int:
    return round(milliseconds * 1e6)
