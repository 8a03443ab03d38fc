"""Pages, logs and files of the kernel that say more than they should."""

from __future__ import annotations

import math
import os
from dataclasses import astuple
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pacecar.measurement.probes import gc_log, prometheus
from pacecar.measurement.probes.cgroup import read_account
from pacecar.measurement.probes.gc_log import read_pauses
from pacecar.measurement.probes.prometheus import Scrape, parse
from support.confined import confined

STAMP = "[2026-11-21T02:51:22.623+0000][0.023s][info]"
PAUSE = f"{STAMP}[gc] GC(0) Pause Young (Normal) 6M->6M(64M) 3.18ms\n"


def page(body: bytes) -> prometheus.Page:
    return parse(Scrape(body=body, time_ns=0, duration_ms=0.0, error=""))


@pytest.mark.hostile
@pytest.mark.parametrize(
    "body",
    [
        b"# TYPE a untyped\n" + b"a 1\n" * 300_000,
        b"".join(b"a%d 1\n" % number for number in range(250_000)),
        b"a{" + b'b="1",' * 5_000 + b"} 1\n",
        b"a" * 100_000,
        b"a 1" + b" " * 100_000 + b"\n",
        b'a{b="' + b"\\" * 70_000 + b'"} 1\n',
        b"# HELP a " + b"x" * 100_000 + b"\n",
        b"\xff\xfe" * 40_000,
    ],
    ids=lambda body: repr(body[:24]),
)
def test_a_page_that_no_service_has(body: bytes) -> None:
    found = page(body)
    assert found.error
    assert found.series == 0
    assert len(found.error) < 400


@pytest.mark.hostile
def test_a_family_of_millions_takes_no_memory() -> None:
    code = """
body = b"# TYPE a untyped\\n" + b"a 1\\n" * 4_000_000
print(parse(Scrape(body=body, time_ns=0, duration_ms=0.0, error="")).error)
"""
    imports = "from pacecar.measurement.probes.prometheus import Scrape, parse"
    assert "more than 200000 series" in confined(code, imports=imports, megabytes=500)


@given(st.text(alphabet='ab{}="\\,# 1.e+-NTYPEinf\n\t', max_size=200))
def test_any_page_is_samples_or_a_sentence(text: str) -> None:
    found = page(text.encode())
    assert len(found.samples) == found.series <= text.count("\n") + 1


@pytest.mark.hostile
@pytest.mark.parametrize("stamp", ["9999-12-31", "0001-01-01", "1969-12-31", "2026-13-01", "2026-02-30", "2300-01-01"])
def test_a_pause_outside_of_time(tmp_path: Path, stamp: str) -> None:
    (tmp_path / "log").write_text(PAUSE.replace("2026-11-21", stamp) + PAUSE)
    assert len(read_pauses(tmp_path / "log")) == 1


@pytest.mark.hostile
@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "large"])
def test_a_log_that_is_none(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "log"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "folder":
        path.mkdir()
    else:
        path.write_text(PAUSE)
        os.truncate(path, 1 << 40)
    assert read_pauses(path).empty


@pytest.mark.hostile
def test_more_pauses_than_any_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gc_log, "_MOST_ENTRIES", 10)
    (tmp_path / "log").write_text(PAUSE * 30)
    assert len(read_pauses(tmp_path / "log")) == 10


def test_parts_that_the_jvm_put_aside_are_read_in_the_order_of_time(tmp_path: Path) -> None:
    for name, second in (("log.1", 21), ("log.2", 22), ("log.0", 23), ("log", 24)):
        (tmp_path / name).write_text(PAUSE.replace(":22.623", f":{second}.623"))
    found = read_pauses(tmp_path / "log")
    assert len(found) == 4
    assert found["start_ns"].is_monotonic_increasing


@pytest.mark.hostile
@pytest.mark.parametrize(
    "text", ["nan", "inf", "-inf", "1e999", "1_0", "\u0661", "9" * 400, "0x10", "", "max max", "1 0"]
)
def test_numbers_that_the_kernel_never_writes(tmp_path: Path, text: str) -> None:
    (tmp_path / "proc" / "1").mkdir(parents=True)
    (tmp_path / "proc" / "1" / "cgroup").write_text("0::/\n")
    (tmp_path / "cgroup.controllers").touch()
    for name in ("cpu.max", "memory.max"):
        (tmp_path / name).write_text(text)
    (tmp_path / "cpu.stat").write_text(f"usage_usec {text}\n")
    account = read_account(1, proc=tmp_path / "proc", cgroups=tmp_path)
    assert all(math.isnan(value) or math.isfinite(value) for value in astuple(account))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from([PAUSE, PAUSE[:50], "\0", "x" * 5000, "\n", PAUSE.replace("3.18", "999999999.9")])))
def test_any_lines_of_a_log(tmp_path: Path, lines: list[str]) -> None:
    (tmp_path / "log").write_text("".join(lines))
    assert len(read_pauses(tmp_path / "log")) <= len(lines)
