"""A page in Prometheus's text format."""

from __future__ import annotations

from collections.abc import Iterator

from pacecar.measurement.probes.prometheus import Scrape
from pacecar.measurement.probes.prometheus import parse as parsed

INSTRUMENT = ("prometheus_client.parser",)


def parse(data: bytes) -> None:
    page = parsed(Scrape(body=data, time_ns=0, duration_ms=0.0, error=""))
    assert page.series == len(page.samples) <= data.count(b"\n") + 1
    assert not (page.error and page.series)


def seeds() -> Iterator[bytes]:
    yield b'# HELP a h\n# TYPE a counter\na_total{x="1",y="\\\\n"} 1.5e3 1700000000000\nb NaN\nc +Inf\n'
    yield b'# TYPE h histogram\nh_bucket{le="0.1"} 1\nh_bucket{le="+Inf"} 2\nh_sum 3\nh_count 2\n'
