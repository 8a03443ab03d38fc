"""Images of JVM services as they are, with the real agents in them, uploading over the bridge."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from pacecar.inputs.toolchain import agent_jar, pyroscope_jar
from pacecar.measurement.deploy.fork import Attachment, JvmView
from pacecar.measurement.jfr import Intervals, fold
from pacecar.measurement.probes.cgroup import read_account
from pacecar.measurement.probes.counters import read_counters
from pacecar.measurement.probes.process import cpu_ns, of_threads
from pacecar.measurement.receiver.server import Receiver
from pacecar.measurement.receiver.settings import agent_environment, token_environment
from pacecar.model.experiment import Profiler
from pacecar.model.recording import Window
from support.container_engine.project import APP, Project, ask

PROFILER = Profiler(upload_interval_s=2.0, cpu_interval_ms=5.0)
BURN_S = 1


@pytest.mark.parametrize(
    ("image", "java", "hardened"),
    [("plain", "17.", False), ("plain", "17.", True), ("bare_17", "17.", True), ("bare_25", "25.", True)],
)
def test_everything_a_process_gives_comes_from_a_container_too(
    project: Project,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    image: str,
    java: str,
    hardened: bool,
) -> None:
    monkeypatch.delenv("PACECAR_CACHE")  # Maven need not fetch the agents anew for every image
    service = {**APP, "image": request.getfixturevalue(image)}
    if hardened:
        service |= {"read_only": True, "cap_drop": ["ALL"], "security_opt": ["no-new-privileges:true"]}
        service |= {"tmpfs": ["/tmp"]} if image == "plain" else {}
    project.write({"app": service})
    counter = agent_jar(resources=project.resources, log_dir=tmp_path)
    profiling = pyroscope_jar(resources=project.resources, log_dir=tmp_path)
    with Receiver(project.resources.folder("uploads")) as receiver:

        def attach(view: JvmView) -> Attachment:
            upload_endpoint = receiver.admit("1-candidate", host=view.host)
            environment = agent_environment(
                PROFILER,
                server=upload_endpoint.url,
                application="app",
                labels={"side": "candidate"},
                scratch=view.scratch,
            )
            agents = (f"{view.seen(counter)}={view.counters}", view.seen(profiling))
            return Attachment(agents=agents, env=environment, secrets=token_environment(upload_endpoint.token))

        fork = project.deploy(attach=attach, cpus_limit=0.5, memory_bytes=400 << 20)
        fork.await_ready()
        version, processors, _, writable, shell = ask(f"{fork.url}/facts").split()
        assert version.startswith(java)
        assert processors == "1"
        assert writable == "false"
        assert (shell == "true") == (image == "plain")
        before, used, start_ns = read_account(fork.pid), cpu_ns(fork.pid), time.time_ns()
        for _ in range(4):
            ask(f"{fork.url}/burn")
        end_ns = time.time_ns()
        after = read_account(fork.pid)
        counters = read_counters(fork.socket)
        ask(f"{fork.url}/collect")
        assert receiver.wait_until("1-candidate", end_ns, 30)
        chunks = receiver.collect("1-candidate", tmp_path / "profile")
        window = Window(index=0, side=fork.side, start_ns=start_ns, end_ns=end_ns)
        folded = fold(chunks, [window], Intervals.of(PROFILER))
    cpu = folded.samples[folded.samples["event"] == "cpu"]
    frames = folded.stacks.set_index("stack")["frames"].reindex(cpu["stack"])
    burnt = cpu["weight"].to_numpy()[frames.str.contains("Service.lambda").to_numpy()].sum()
    assert burnt > 0.5 * cpu["weight"].sum()
    assert counters.allocated_bytes > 0
    assert cpu_ns(fork.pid) - used > 1e9
    assert of_threads(fork.pid).compilers_ns > 0
    assert after.cpu_limit == pytest.approx(0.5)
    assert after.memory_limit_bytes == 400 << 20
    assert after.throttled_periods > before.throttled_periods
    assert after.throttled_ns > before.throttled_ns
    assert 0 < after.memory_bytes < after.memory_limit_bytes
    assert after.network_bytes > before.network_bytes
    assert after.oom_kills == 0
    record = fork.record()
    assert record.jvm_version
    fork.stop()
    assert "Pause" in fork.gc_log.read_text()
