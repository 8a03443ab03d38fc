"""Questions to a real Prometheus, which scrapes itself."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pacecar.integrations.exchange import Server
from pacecar.integrations.prometheus import QueryRefused, Question, replies, require_understood, scrape_intervals_s
from pacecar.measurement.session.prometheus_queries import answers, scrape_intervals
from pacecar.model.experiment import Query, Side
from pacecar.model.recording import Window
from support.servers import prometheus

SECOND = 10**9


@dataclass(frozen=True, kw_only=True)
class Scraping:
    server: Server
    instance: str
    windows: tuple[Window, ...]


@pytest.fixture(scope="module")
def scraping(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scraping]:
    """A server that scrapes itself every second, and two windows it has been through."""
    folder = tmp_path_factory.mktemp("prometheus")
    targets = folder / "targets.json"
    targets.write_text("[]")
    scrapes = f"  - job_name: itself\n    file_sd_configs: [{{files: [{targets}]}}]"
    with prometheus(folder / "server", scrapes) as url:
        server, instance = Server(url=url), url.removeprefix("http://")
        targets.write_text(f'[{{"targets": ["{instance}"], "labels": {{"side": "candidate"}}}}]')
        began = time.time_ns()
        while not _scraped(server, instance):
            assert time.time_ns() - began < 30 * SECOND
            time.sleep(0.1)
        first = time.time_ns()
        time.sleep(8)
        yield Scraping(
            server=server,
            instance=instance,
            windows=tuple(
                Window(index=index, side=side, start_ns=first + start * SECOND, end_ns=first + (start + 3) * SECOND)
                for index, (side, start) in enumerate([(Side.CANDIDATE, 0), (Side.BASELINE, 4)])
            ),
        )


def _scraped(server: Server, instance: str) -> bool:
    question = Question(text=f'up{{instance="{instance}"}}', end_s=time.time(), length_s=3.0)
    return replies(server, [question])[0].value == 1.0


def _asked(scraping: Scraping, *texts: str) -> dict[str, list[tuple[float, str]]]:
    tables, _ = answers(
        scraping.server,
        [Query(name=text, text=text) for text in texts],
        pair=1,
        windows=scraping.windows,
        instances=dict.fromkeys(Side, scraping.instance),
        intervals_s=scrape_intervals(scraping.server, dict.fromkeys(Side, scraping.instance)),
    )
    rows: list[Any] = [row for table in tables.values() for row in table.itertuples()]
    return {text: [(row.value, row.error) for row in rows if row.metric == text] for text in texts}


def test_one_number_for_each_window(scraping: Scraping) -> None:
    count = 'count_over_time(up{instance="{instance}",side="candidate"}[{length}])'
    length = "scalar(vector({end} - {start}))"
    found = _asked(scraping, count, length, "time()")
    assert [value for value, _ in found[count]] == [3, 3]
    assert [value for value, _ in found[length]] == pytest.approx([3, 3])
    ends = sorted(window.end_ns / SECOND for window in scraping.windows)
    assert sorted(value for value, _ in found["time()"]) == pytest.approx(ends, abs=0.001)
    assert {error for rows in found.values() for _, error in rows} == {""}


def test_what_is_no_number(scraping: Scraping) -> None:
    said = {
        "no_such_metric": "the query gave no result",
        "prometheus_http_requests_total": "results instead of one",
        "vector(0) / 0": "the result is NaN",
        "vector(1) / 0": "the result is infinite",
        "up[1m]": "Prometheus answered with neither a scalar nor a vector",
        "sum(": "Prometheus answered 400: ",
    }
    found = _asked(scraping, *said)
    for text, error in said.items():
        assert all(error in shown and math.isnan(value) for value, shown in found[text]), (text, found[text])


def test_a_query_is_refused_before_anything_is_measured(scraping: Scraping) -> None:
    require_understood(scraping.server, [Query(name="fine", text='rate(x{a="{instance}"}[{length}] @ {end})')])
    with pytest.raises(QueryRefused, match=r"metrics\.wrong\.query: Prometheus at .* refuses it: .*parse error"):
        require_understood(scraping.server, [Query(name="wrong", text="sum by up(")])


def test_a_server_that_scrapes_too_rarely_is_not_believed(tmp_path: Path) -> None:
    """An instant query would take a sample of long before the window, and nobody would notice."""
    scrapes = "  - job_name: itself\n    static_configs: [{targets: ['%s']}]"
    # Nobody is there to be scraped, but how often it would be is known.
    with prometheus(tmp_path / "server", scrapes % "127.0.0.1:9", interval="15s") as url:
        server = Server(url=url)
        deadline = time.monotonic() + 30
        while not (known := scrape_intervals_s(server)):
            assert time.monotonic() < deadline
            time.sleep(0.2)
        assert known == {"127.0.0.1:9": 15.0}
        now = time.time_ns()
        window = Window(index=0, side=Side.BASELINE, start_ns=now - 2 * SECOND, end_ns=now)
        instances = {Side.BASELINE: "127.0.0.1:9"}
        tables, notes = answers(
            server,
            [Query(name="up", text="vector(1)")],
            pair=1,
            windows=[window],
            instances=instances,
            intervals_s=scrape_intervals(server, instances),
        )
    (error,) = tables[Side.BASELINE]["error"]
    assert error.startswith("Prometheus scrapes the service every 15 s, and a window is 2 s")
    assert notes[0].startswith("up of the baseline: no number in 1 of 1 windows: Prometheus scrapes")
