"""A fork that is a service of a compose file, on a real engine."""

from __future__ import annotations

import json
import os
import signal

import psutil
import pytest

from pacecar.measurement.deploy import DeployError, ForkDied
from pacecar.measurement.deploy.compose.container import containers_of
from pacecar.measurement.deploy.deployers import deployer_of
from pacecar.measurement.deploy.fork import Attachment, JvmView
from pacecar.model.experiment import Side
from pacecar.text.hidden import MARK
from support.container_engine.project import APP, Project, ask, docker, left, wait_until

HEALTHY = {
    "image": "pacecar-test/plain:1",
    "entrypoint": ["sleep", "600"],
    "stop_signal": "SIGKILL",
    "healthcheck": {"test": ["CMD", "true"], "interval": "500ms"},
}


def inspected(fork: object, name: str = "app") -> dict[str, object]:
    ids = containers_of(fork._started.project)  # type: ignore[attr-defined]
    return json.loads(docker("container", "inspect", ids[name]))[0]


def test_two_forks_at_once_come_up_and_leave_nothing(project: Project) -> None:
    # A fixed name and port in the user's file would let only one be up.
    project.write({"app": {**APP, "container_name": "the-app", "ports": ["18080:8080"], "restart": "always"}})
    forks = [project.deploy(side=side) for side in Side]
    for fork in forks:
        fork.await_ready()
    assert len({fork.url for fork in forks}) == 2
    for fork in forks:
        assert ask(f"{fork.url}/health") == "ok"
        assert psutil.Process(fork.pid).name() == "java"
        fork.check()
    ask(f"{forks[0].url}/collect")
    record = forks[0].record()
    assert record.ready_s > 0
    assert record.jvm_version.startswith("OpenJDK 64-Bit Server VM")
    assert "-XX:-UseDynamicNumberOfCompilerThreads" in record.jvm_flags
    for fork in forks:
        fork.stop()
        fork.stop()
    assert left() == []
    assert (project.folder / "baseline" / "service.log").read_text().rstrip().endswith("listening")
    assert "Pause Full (System.gc())" in forks[0].gc_log.read_text()
    assert forks[0].gc_log.parent == project.folder / "baseline"


def test_a_link_in_place_of_a_log_is_not_followed(project: Project) -> None:
    secret = project.folder / "secret"
    secret.write_text("of this machine")
    fork = project.deploy()
    fork.await_ready()
    docker("exec", containers_of(fork._started.project)["app"], "ln", "-s", secret, "/pacecar/log/gc-7.log")
    fork.stop()
    assert not (project.folder / "candidate" / "gc-7.log").exists()


class TestOverlay:
    """What is laid over the user's file."""

    def test_environment_secrets_and_jvm_options(self, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("THE_PASSWORD", "s3cret$HOME ${x}")
        project.write({"app": {**APP, "environment": {"KEPT": "a$$b", "JAVA_TOOL_OPTIONS": "-Dtheirs=1"}}})
        fork = project.deploy(env={"COST": "5$ ${HOME}", "WHERE": "{port}"}, secrets={"PASSWORD": "THE_PASSWORD"})
        fork.await_ready()
        seen = ask(f"{fork.url}/env")
        assert "KEPT=a$b," in seen
        assert "COST=5$ ${HOME}," in seen
        assert "WHERE=8080" in seen
        assert "PASSWORD=s3cret$HOME ${x}," in seen
        assert "-Dtheirs=1" in seen
        assert "gc-%p.log" in seen
        written = [path.read_text() for path in fork.socket.parents[1].rglob("overlay.yaml")]
        assert written
        assert not any("s3cret" in text for text in written)
        assert "PASSWORD=$THE_PASSWORD" in fork.command
        assert not any("s3cret" in part for part in fork.command)

    def test_secrets_that_stand_in_the_file_are_struck_out(self, project: Project) -> None:
        (project.folder / "key").write_text("k3y-of-the-file\n")
        service = {**APP, "environment": {"DB_PASSWORD": "hunter2$$x-s3cret", "DB_USER": "orders"}, "secrets": ["key"]}
        project.write({"app": service}, secrets={"key": {"file": "./key"}})
        struck = deployer_of(project.target(), resources=project.resources).struck()
        said = "orders hunter2$x-s3cret k3y-of-the-file"
        assert struck.out_of(said) == f"orders {MARK} {MARK}"
        fork = project.deploy()
        assert fork.struck.out_of(said) == f"orders {MARK} {MARK}"
        fork.await_ready()

    def test_limits_cores_and_port(self, project: Project) -> None:
        project.write({"app": {**APP, "mem_limit": "1g", "cpus": 2}})
        core = min(os.sched_getaffinity(0))
        fork = project.deploy(cpus=(core,), memory_bytes=300 << 20, cpus_limit=0.5)
        fork.await_ready()
        host = inspected(fork)["HostConfig"]
        assert isinstance(host, dict)
        assert host["Memory"] == 300 << 20
        assert host["NanoCpus"] == 500_000_000 or host["CpuQuota"] == 50_000
        assert host["CpusetCpus"] == str(core)
        assert host["RestartPolicy"]["Name"] in ("", "no")
        assert [port["HostIp"] for port in host["PortBindings"]["8080/tcp"]] == ["127.0.0.1"]
        assert ask(f"{fork.url}/facts").split()[1] == "1"

    def test_volumes_and_networks_with_fixed_names_are_not_shared(self, project: Project) -> None:
        project.write(
            {"app": {**APP, "volumes": ["data:/data"], "networks": ["inner"]}},
            volumes={"data": {"name": "pacecar-test-fixed"}},
            networks={"inner": {"name": "pacecar-test-fixed"}},
        )
        forks = [project.deploy(side=side) for side in Side]
        for fork in forks:
            fork.await_ready()
        volumes = [inspected(fork)["Mounts"] for fork in forks]
        names = [{mount["Name"] for mount in mounts if mount["Type"] == "volume"} for mounts in volumes]  # type: ignore[attr-defined]
        assert not names[0] & names[1]
        assert "pacecar-test-fixed" not in docker("network", "ls", "--format", "{{.Name}}").split()
        assert "pacecar-test-fixed" not in docker("volume", "ls", "--quiet").split()


def test_whose_threads_are_not_ours_to_move_is_pinned_as_a_whole(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    fork = project.deploy()
    fork.await_ready()

    def refuse(*arguments: object, **options: object) -> None:
        raise PermissionError

    monkeypatch.setattr("pacecar.measurement.deploy.affinity.pin", refuse)
    core = max(os.sched_getaffinity(0))
    fork.pin((core,))
    assert fork.cpus == (core,)
    assert psutil.Process(fork.pid).cpu_affinity() == [core]


class TestDependencies:
    """What comes up with the service."""

    def test_comes_up_first_fresh_and_without_its_ports(self, project: Project) -> None:
        needs = {"other": {"condition": "service_healthy"}}
        other = {**HEALTHY, "ports": ["18081:18081"], "volumes": ["data:/data"]}
        idle = {**HEALTHY, "ports": ["18082:18082"]}
        project.write({"app": {**APP, "depends_on": needs}, "other": other, "idle": idle}, volumes={"data": {}})
        forks = [project.deploy(side=side) for side in Side]
        for fork in forks:
            fork.await_ready()
        assert all(fork.containers is not None and len(fork.containers.dependencies) == 1 for fork in forks)
        running = docker("container", "ls", "--format", "{{.Names}} {{.Ports}}")
        assert running.count("-other-1") == 2
        assert "idle" not in running
        assert "18081" not in running

    def test_that_ends_makes_the_measurement_invalid(self, project: Project) -> None:
        project.write({"app": {**APP, "depends_on": ["other"]}, "other": HEALTHY})
        fork = project.deploy()
        fork.await_ready()
        assert fork.containers is not None
        os.kill(fork.containers.dependencies[0], signal.SIGKILL)
        wait_until(lambda: not psutil.pid_exists(fork.containers.dependencies[0]))
        with pytest.raises(
            DeployError, match="The service other, which the candidate of app depends on, ended"
        ) as info:
            fork.check()
        assert not isinstance(info.value, ForkDied)
        assert info.value.exit_code == 3

    def test_that_has_done_its_work_is_not_missed(self, project: Project) -> None:
        needs = {"migration": {"condition": "service_completed_successfully"}}
        migration = {"image": "pacecar-test/plain:1", "entrypoint": ["true"]}
        project.write({"app": {**APP, "depends_on": needs}, "migration": migration})
        fork = project.deploy()
        fork.await_ready()
        fork.check()


def test_a_fork_that_dies_says_how(project: Project) -> None:
    fork = project.deploy()
    fork.await_ready()
    os.kill(fork.pid, signal.SIGTERM)
    wait_until(lambda: not fork.alive())
    with pytest.raises(ForkDied, match=r"The candidate of app (ended with status 143|was killed by SIGTERM)") as info:
        fork.check()
    assert "listening" in str(info.value.hint)


def test_killed_at_its_limit_of_memory(project: Project) -> None:
    fork = project.deploy(memory_bytes=128 << 20, env={"JAVA_TOOL_OPTIONS": "-Xmx32m -XX:MaxDirectMemorySize=4g"})
    fork.await_ready()
    with pytest.raises(OSError):  # noqa: PT011  however the connection ends
        ask(f"{fork.url}/fill")
    wait_until(lambda: not fork.alive())
    with pytest.raises(ForkDied, match=r"was killed for lack of memory at its limit of 134 MB") as info:
        fork.check()
    assert info.value.side is Side.CANDIDATE


def test_the_receiver_is_reached_over_the_bridge_and_from_nowhere_else(project: Project) -> None:
    grounds: list[JvmView] = []

    def attach(view: JvmView) -> Attachment:
        grounds.append(view)
        return Attachment(env={"SEEN": view.seen(project.jar)}, secrets={"TOKEN": "t0ken"})

    forks = [project.deploy(side=side, attach=attach) for side in Side]
    for fork in forks:
        fork.await_ready()
    assert len({view.host for view in grounds}) == 2
    for fork, view in zip(forks, grounds, strict=True):
        networks = inspected(fork)["NetworkSettings"]["Networks"]  # type: ignore[index]
        assert any(network["Gateway"] == view.host for network in networks.values())
        assert "SEEN=/pacecar/files/" in ask(f"{fork.url}/env")
        assert "TOKEN=t0ken" in ask(f"{fork.url}/env")
        mounts = inspected(fork)["Mounts"]
        writable = {mount["Destination"] for mount in mounts if mount["RW"]}  # type: ignore[attr-defined]
        assert writable == {"/pacecar/run", "/pacecar/log"}
