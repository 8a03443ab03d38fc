"""Programs of what a target needs, where its configuration names them."""

from pathlib import Path

import pytest

from pacecar.onboarding import doctor
from pacecar.onboarding.doctor import dependencies

FILE = """
[target]
name = "orders"
command = ["{java}", "-jar", "{artifact}", "--port={port}"]
ready = "/health"
[[target.dependencies]]
name = "store"
command = ["PROGRAM", "{port}"]
"""


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
    (check,) = dependencies.checks(configured("store"))
    assert (check.name, check.ok, check.found) == ("dependency store", True, path)


def test_one_that_is_not(program, configured):
    (check,) = dependencies.checks(configured("store"))
    assert (check.ok, check.required, check.found) == (False, True, "store cannot be run")
    assert "[[target.dependencies]]: store" in (check.remedy or "")


@pytest.mark.parametrize("there", [True, False])
def test_a_path_is_meant_from_the_working_directory(program, configured, tmp_path, there):
    if there:
        program("store", where=tmp_path / "db" / "bin")
    (tmp_path / "db").mkdir(exist_ok=True)
    (check,) = dependencies.checks(configured("bin/store", FILE + 'directory = "db"\n'))
    assert check.ok is there


def test_java_is_the_one_that_services_run_on(program, configured):
    path = program("java")
    (check,) = dependencies.checks(configured("{java}"))
    assert (check.ok, Path(check.found).name) == (True, Path(path).name)


def test_what_a_build_brings_is_there_once_it_is_built(program, configured):
    assert dependencies.checks(configured("{artifact}/bin/store")) == ()


def test_without_a_configuration_nothing_is_looked_for(tmp_path):
    assert dependencies.checks(tmp_path / "pacecar.toml") == ()


def test_a_configuration_with_an_error_is_a_note(configured, tmp_path):
    (check,) = dependencies.checks(configured("store", FILE + "reddy = 1\n"))
    assert (check.ok, check.required) == (False, False)
    assert "pacecar.toml line 9, target.dependencies.reddy: unknown key" in check.found
    assert check.remedy


def test_the_whole_examination_looks_for_them(configured, tmp_path):
    checks = doctor.examine(archive=tmp_path, configuration=configured("no-such-store"))
    (check,) = [each for each in checks if each.name == "dependency store"]
    assert not check.ok
