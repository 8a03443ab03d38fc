"""The machine the test runs on, and files of machines it does not run on."""

import os

import pytest

from pacecar.onboarding.doctor import machine, quiet


def test_this_machine_can_be_examined(resources):
    checks = {check.name: check for check in (*machine.checks(), machine.clock_of_another_process(resources))}
    assert set(checks) == {"cores", "pinning", "memory", "loopback", "perf_event_paranoid", "process clock"}
    assert checks["process clock"].ok
    assert checks["loopback"].ok
    assert f"{len(os.sched_getaffinity(0))} (" in checks["cores"].found


def test_one_core_is_worth_a_note():
    own = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(own)})
    try:
        check = next(check for check in machine.checks() if check.name == "cores")
    finally:
        os.sched_setaffinity(0, own)
    assert (check.ok, check.required) == (False, False)
    assert check.found.startswith(f"1 ({min(own)})")


@pytest.mark.parametrize(("text", "cores"), [("150000 100000\n", 1.5), ("max 100000\n", None), ("odd\n", None)])
def test_limits_of_a_control_group_version_2(tmp_path, text, cores):
    (tmp_path / "cpu.max").write_text(text)
    assert machine.cpu_quota(tmp_path) == cores


@pytest.mark.parametrize(("quota", "cores"), [("200000", 2.0), ("-1", None)])
def test_limits_of_a_control_group_version_1(tmp_path, quota, cores):
    (tmp_path / "cpu").mkdir()
    (tmp_path / "cpu" / "cpu.cfs_quota_us").write_text(quota)
    (tmp_path / "cpu" / "cpu.cfs_period_us").write_text("100000")
    assert machine.cpu_quota(tmp_path) == cores


def test_no_control_group_is_no_limit(tmp_path):
    assert machine.cpu_quota(tmp_path) is None


@pytest.mark.parametrize("content", ["2", None])
def test_perf_event_paranoid_never_is_a_lack(tmp_path, content):
    setting = tmp_path / "perf_event_paranoid"
    if content is not None:
        setting.write_text(content)
    check = machine.perf_events(setting)
    assert check.ok
    assert "ctimer" in check.found


@pytest.mark.parametrize(
    ("stat", "share"),
    [
        ("cpu  60 0 20 100 0 0 0 20 0 0\ncpu0 1 1 1 1 1 1 1 1\n", 0.1),
        ("cpu  0 0 0 0 0 0 0 0 0 0\n", None),
        ("cpu  1 2 3\n", None),
        ("cpu  a b c d e f g h\n", None),
        ("", None),
    ],
)
def test_stolen_time(stat, share):
    assert quiet.steal_share(stat) == share
    assert quiet.steal(stat).ok is (share is None)


def test_a_busy_machine_is_worth_a_note():
    assert quiet.load(0.1, 2).ok
    busy = quiet.load(2.5, 2)
    assert (busy.ok, busy.required) == (False, False)
    assert busy.found == "2.50 on 2 cores over the last minute"


@pytest.mark.parametrize(
    ("names", "ok"), [(["performance", "performance"], True), (["performance", "powersave"], False), ([], True)]
)
def test_governors(tmp_path, names, ok):
    for number, name in enumerate(names):
        folder = tmp_path / f"cpu{number}" / "cpufreq"
        folder.mkdir(parents=True)
        (folder / "scaling_governor").write_text(f"{name}\n")
    assert quiet.governor(tmp_path).ok is ok
