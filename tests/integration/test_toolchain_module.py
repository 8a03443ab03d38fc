"""A user's own Maven module, with simulations among its test classes, through the real Maven."""

from __future__ import annotations

from pathlib import Path

import pytest

from pacecar.inputs.toolchain import gatling_classpath, gatling_version, pyroscope_jar
from pacecar.measurement.load.gatling.plan import write_plan
from pacecar.measurement.load.gatling.run import GatlingRun, Generator
from pacecar.measurement.load.injector import SlicedLoad
from pacecar.measurement.load.load_run import LoadRun
from pacecar.model.experiment import Plan, Side
from pacecar.model.scenario import LoadModel, Scenario
from pacecar.system.resources import Resources

POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>shop</groupId><artifactId>shop-load</artifactId><version>1</version>
  <properties>
    <maven.compiler.source>17</maven.compiler.source>
    <maven.compiler.target>17</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency>
      <groupId>dev.pacecar</groupId><artifactId>pacecar-scenarios</artifactId><version>0.1.0</version>
      <scope>test</scope>
    </dependency>
  </dependencies>
</project>
"""

SIMULATION = """package shop;

import static io.gatling.javaapi.http.HttpDsl.http;

import dev.pacecar.scenarios.Operation;
import dev.pacecar.scenarios.SlicedLoad;
import io.gatling.javaapi.core.Simulation;
import java.util.List;

public class Browsing extends Simulation {
    public Browsing() {
        SlicedLoad.fromPlan().run(this, List.of(Operation.of("home", 1, http("home").get(SlicedLoad.URL + "/"))));
    }
}
"""


def test_a_users_simulation_on_the_kit_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PACECAR_CACHE", str(tmp_path / "cache"))  # so that Maven has to work each time
    module = tmp_path / "shop-load"
    (module / "src" / "test" / "java" / "shop").mkdir(parents=True)
    (module / "pom.xml").write_text(POM)
    (module / "src" / "test" / "java" / "shop" / "Browsing.java").write_text(SIMULATION)
    scenario = Scenario(
        simulation="shop.Browsing",
        module=module,
        jar=None,
        sliced=True,
        model=LoadModel.OPEN,
        rate_per_s=20,
        users=1,
        think_time_s=0,
        endpoints=(),
    )
    plan = Plan(pairs=1, side_s=0.5, slice_s=0.5, gap_s=0.1, warmup_s=0.2, burst_s=0, burst_users=1, seed=1)

    with Resources() as resources:
        classpath = gatling_classpath(scenario, resources=resources, log_dir=tmp_path / "logs")
        load = SlicedLoad(plan=plan, order=[Side.CANDIDATE], urls={Side.CANDIDATE: "http://127.0.0.1:9"}, seed=3)
        plan_file = write_plan(tmp_path / "run" / "plan.json", load, scenario=scenario)
        generator = Generator(resources=resources, classpath=classpath)
        with GatlingRun.start_sliced(plan_file, simulation=scenario.simulation, generator=generator) as run:
            LoadRun(injectors=(run,)).await_clock(60)
            run.finish(60)

    assert gatling_version(classpath) == "3.15.1"
    rows = run.arrivals_path.read_text().splitlines()
    assert rows[0] == "slice,side,endpoint,due_ms,sent_ms,answered_ms,number"
    assert rows[1].startswith('0,candidate,"home",')
    # Nobody listens there: the requests fail, which is for the log to tell and no failure of the generator.
    assert b"Connection refused" in run.log_path.read_bytes()


def test_the_profiling_agent_is_a_jar(tmp_path: Path) -> None:
    with Resources() as resources:
        jar = pyroscope_jar(resources=resources, log_dir=tmp_path)

    assert jar.read_bytes()[:4] == b"PK\x03\x04"
