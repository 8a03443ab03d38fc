from __future__ import annotations

from pacecar.measurement.receiver.settings import (
    agent_environment,
    span_environment,
    token_environment,
    trace_token_environment,
)
from pacecar.model.experiment import Profiler


def test_every_setting_reaches_the_agent() -> None:
    profiler = Profiler(
        cpu_interval_ms=5.5, wall_interval_ms=12.5, allocation_bytes=1024, lock_threshold_ms=0.25, upload_interval_s=2
    )
    environment = agent_environment(
        profiler, server="http://127.0.0.1:9/f", application="shop", labels={"side": "baseline", "pair": "1"}
    )
    assert environment == {
        "PYROSCOPE_AGENT_ENABLED": "true",
        "PYROSCOPE_APPLICATION_NAME": "shop",
        "PYROSCOPE_LABELS": "side=baseline,pair=1",
        "PYROSCOPE_SERVER_ADDRESS": "http://127.0.0.1:9/f/{jvm}",
        "PYROSCOPE_FORMAT": "jfr",
        "PYROSCOPE_PROFILER_EVENT": "ctimer",
        "PYROSCOPE_PROFILING_INTERVAL": "5500us",
        "PYROSCOPE_PROFILER_ALLOC": "1024",
        "PYROSCOPE_PROFILER_LOCK": "250000",
        "PYROSCOPE_AP_EXTRA_ARGUMENTS": "wall=12500000,clock=monotonic,jstackdepth=512/511,jfropts=7",
        "PYROSCOPE_UPLOAD_INTERVAL": "2000ms",
        "PYROSCOPE_LOG_LEVEL": "warn",
        "PYROSCOPE_AP_LOG_LEVEL": "warn",
    }


def test_token() -> None:
    assert token_environment("t") == {"PYROSCOPE_AUTH_TOKEN": "t"}


def test_scratch_folder() -> None:
    environment = agent_environment(Profiler(), server="x", application="a", labels={}, scratch="/pacecar/run")
    assert environment["PYROSCOPE_TMP_DIR"] == "/pacecar/run"


def test_spans_go_nowhere_unless_they_are_asked_for() -> None:
    assert span_environment("/otel.jar")["OTEL_TRACES_EXPORTER"] == "none"
    environment = span_environment("/otel.jar", traces="http://127.0.0.1:9/f/v1/traces")
    assert environment["OTEL_TRACES_EXPORTER"] == "otlp"
    assert environment["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] == "http://127.0.0.1:9/f/v1/traces"
    assert environment["OTEL_TRACES_SAMPLER"] == "parentbased_always_off"
    assert environment["OTEL_METRICS_EXPORTER"] == environment["OTEL_LOGS_EXPORTER"] == "none"
    assert trace_token_environment("t") == {"OTEL_EXPORTER_OTLP_TRACES_HEADERS": "Authorization=Bearer%20t"}
