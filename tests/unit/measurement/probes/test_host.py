"""The machine's own account of itself."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path

import pytest

from pacecar.errors import UsageError
from pacecar.measurement.probes.host import fingerprint, read_host
from pacecar.model.tables import TABLES


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PACECAR_STATE", str(tmp_path / "state"))


def test_fields_of_proc(tmp_path: Path) -> None:
    (tmp_path / "stat").write_text(
        "cpu  100 20 30 4000 50 6 7 80 9 0\ncpu0 100 20 30 4000 50 6 7 80 9 0\nintr 1 2 3\nctxt 12345\nbtime 1\n"
    )
    (tmp_path / "loadavg").write_text("0.52 0.58 0.59 1/389 1234\n")
    ticks = os.sysconf("SC_CLK_TCK")

    reading = read_host(tmp_path)

    assert (reading.user_s, reading.system_s) == (120 / ticks, pytest.approx(43 / ticks))
    assert (reading.idle_s, reading.iowait_s, reading.steal_s) == (4000 / ticks, 50 / ticks, 80 / ticks)
    assert (reading.load1, reading.context_switches) == (0.52, 12345)


def test_columns_of_the_table() -> None:
    assert set(asdict(read_host())) == set(TABLES["host"]) - {"window", "edge"}


def test_this_machine_only_goes_forward() -> None:
    first, second = asdict(read_host()), asdict(read_host())
    assert all(second[name] >= first[name] for name in ("time_ns", "user_s", "system_s", "context_switches"))


def test_fingerprint_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    # Makes the JVM say something else first.
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Xmx64m")
    machine = fingerprint()
    assert " version " in machine.jvm
    assert machine.cores == os.cpu_count()
    assert machine.memory_bytes > 0
    assert machine.cpu_model
    assert machine.kernel == os.uname().release
    assert machine.os


def test_no_java(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="java -version: cannot start"):
        fingerprint(tmp_path / "java")
