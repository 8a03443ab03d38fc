"""What the ways to deploy need of a machine, where a configuration chooses one, and where there is none."""

import socket
from pathlib import Path
from typing import get_args

import pytest

from pacecar.measurement.deploy.deployers import CHECKS
from pacecar.model.deployment import Deployment
from pacecar.onboarding import doctor
from pacecar.onboarding.doctor import deployment

FILE = """
[target]
name = "orders"
command = ["{java}", "-jar", "{artifact}", "--port={port}"]
ready = "/health"
[[target.dependencies]]
name = "store"
command = ["PROGRAM", "{port}"]
"""


COMPOSED = """
[target]
name = "orders"
deploy = "compose"
ready = "/health"
port = PORT
"""
ENGINE = ("container engine", "docker compose")


def own(configuration):
    """The checks but for those of an engine."""
    return tuple(check for check in deployment.checks(configuration) if check.name not in ENGINE)


@pytest.fixture
def configured(tmp_path):
    """A configuration with a dependency that such a program starts."""

    def written(program, text=FILE):
        path = tmp_path / "pacecar.toml"
        path.write_text(text.replace("PROGRAM", program))
        return path

    return written


def test_one_that_is_there(program, configured):
    path = program("store")
    (check,) = own(configured("store"))
    assert (check.name, check.ok, check.found) == ("dependency store", True, path)


def test_one_that_is_not(program, configured):
    (check,) = own(configured("store"))
    assert (check.ok, check.required, check.found) == (False, True, "store cannot be run")
    assert "[[target.dependencies]]: store" in (check.remedy or "")


@pytest.mark.parametrize("there", [True, False])
def test_a_path_is_meant_from_the_working_directory(program, configured, tmp_path, there):
    if there:
        program("store", where=tmp_path / "db" / "bin")
    (tmp_path / "db").mkdir(exist_ok=True)
    (check,) = own(configured("bin/store", FILE + 'directory = "db"\n'))
    assert check.ok is there


def test_java_is_the_one_that_services_run_on(program, configured):
    path = program("java")
    (check,) = own(configured("{java}"))
    assert (check.ok, Path(check.found).name) == (True, Path(path).name)


def test_what_a_build_brings_is_there_once_it_is_built(program, configured):
    assert own(configured("{artifact}/bin/store")) == ()


def test_without_a_configuration_no_way_to_deploy_is_required(program, tmp_path):
    missing, *checks = deployment.checks(tmp_path / "pacecar.toml")
    assert (missing.name, missing.ok, missing.required) == ("configuration", False, False)
    assert (missing.found, missing.remedy) == (
        f"{tmp_path / 'pacecar.toml'}: there is no such file.",
        "Write a first one: pacecar init",
    )
    assert [(check.name, check.ok, check.required) for check in checks] == [(name, False, False) for name in ENGINE]
    assert all(check.remedy.startswith('only for target.deploy = "compose": ') for check in checks)


def test_a_configuration_with_an_error_is_a_note(configured, tmp_path):
    (check,) = own(configured("store", FILE + "reddy = 1\n"))
    assert (check.ok, check.required) == (False, False)
    assert "pacecar.toml line 9, target.dependencies.reddy: unknown key" in check.found
    assert check.remedy


def test_the_whole_examination_looks_for_them(configured, tmp_path):
    checks = doctor.examine(archive=tmp_path, configuration=configured("no-such-store"))
    (check,) = [each for each in checks if each.name == "dependency store"]
    assert not check.ok


def test_another_way_to_deploy_than_the_files_may_be_asked_for(configured, tmp_path):
    (tmp_path / "docker-compose.yml").write_text("services: {orders: {image: orders}}\n")
    path = configured("store", FILE + "[target.compose]\nport = 8080\n")
    for overrides, required in (({}, False), ({"target.deploy": "compose"}, True)):
        found = {check.name: check.required for check in deployment.checks(path, overrides)}
        assert found["container engine"] is required


def test_every_way_to_deploy_says_what_it_needs():
    assert CHECKS.keys() == set(get_args(Deployment))


class TestOfComposeFiles:
    @pytest.fixture
    def composed(self, tmp_path):
        """A configuration that deploys by a compose file, with a port on which nothing listens."""
        (tmp_path / "docker-compose.yml").write_text("services: {orders: {image: orders}}\n")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        path = tmp_path / "pacecar.toml"
        path.write_text(COMPOSED.replace("PORT", str(port)))
        return path, port

    def test_an_engine_is_required(self, program, composed):
        checks = {check.name: check for check in deployment.checks(composed[0])}
        assert all(not checks[name].ok and checks[name].required for name in ENGINE)
        assert checks["container engine"].remedy.startswith("apt-get install docker.io")
        assert checks["port"].ok

    def test_one_that_answers(self, program, composed):
        program("docker", "2.39.5\x07\nsecond line")
        checks = {check.name: check for check in deployment.checks(composed[0])}
        assert [checks[name].found for name in ENGINE] == ["Docker 2.39.5", "2.39.5"]

    def test_one_that_does_not_answer_is_said_with_what_to_do(self, program, composed):
        program("docker", status=1)
        check = deployment.checks(composed[0])[0]
        assert not check.ok
        assert check.remedy

    def test_a_port_that_is_taken(self, program, composed):
        path, port = composed
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", port))
            taken.listen()
            (check,) = own(path)
        assert (check.name, check.ok, check.required) == ("port", False, True)
        assert f"Port {port} is already in use" in check.found
