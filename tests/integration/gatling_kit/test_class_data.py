"""The archive of Gatling's classes, made and used by a real JVM."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from integration.gatling_kit.sides import PLAN, SCENARIO, Servers
from pacecar.measurement.load import load_run
from pacecar.measurement.load.gatling import jvm
from pacecar.measurement.load.gatling.class_data import class_data
from pacecar.measurement.load.gatling.generator import Gatling
from pacecar.measurement.load.gatling.run import Generator
from pacecar.measurement.load.injector import SlicedLoad
from pacecar.model.experiment import Side
from pacecar.system import paths


@pytest.fixture(scope="module")
def archive(generator: Generator) -> Path:
    made = class_data(generator.classpath, java=paths.java(), resources=generator.resources)
    assert made is not None
    return made


def test_it_is_made_once(archive: Path, generator: Generator) -> None:
    before = archive.stat()
    again = class_data(generator.classpath, java=paths.java(), resources=generator.resources)
    assert again == archive
    assert again.stat() == before


def test_gatling_and_the_kit_come_from_it(
    archive: Path, generator: Generator, servers: Servers, tmp_path: Path
) -> None:
    loaded = tmp_path / "loaded"
    sharing = (*jvm.from_archive(archive), f"-Xlog:class+load:file={loaded}")
    gatling = Gatling(SCENARIO, process=replace(generator, sharing=sharing))
    load = SlicedLoad(plan=PLAN, order=(Side.BASELINE,), urls={Side.BASELINE: servers.urls[Side.BASELINE]}, seed=1)
    with load_run.sliced(gatling, tmp_path / "run", load) as run:
        run.await_clock(60)
        run.finish(60)
    assert servers.seen
    found = dict(
        line.split("] ", 1)[1].split(" source: ") for line in loaded.read_text().splitlines() if "source: " in line
    )
    for name in ("io.gatling.app.Gatling", "dev.pacecar.scenarios.EndpointMix", "dev.pacecar.scenarios.OpenModel"):
        assert found[name].startswith("shared objects file"), found[name]
