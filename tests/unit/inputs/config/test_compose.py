"""A target that is a service of a compose file."""

from __future__ import annotations

from pathlib import Path

import pytest

from pacecar.inputs import config
from pacecar.inputs.config import ConfigError
from pacecar.model.deployment import ComposeDeployment, ProcessDeployment

FILE = """
[target]
name = "orders"
deploy = "compose"
ready = "/health"
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "docker-compose.yml").write_text("services: {}")
    return tmp_path / "pacecar.toml"


def test_defaults(project: Path) -> None:
    project.write_text(FILE)
    assert config.load(project).target.deployment == ComposeDeployment(
        file=project.parent / "docker-compose.yml",
        service="orders",
        port=None,
        jar=None,
        cpus=None,
        memory_bytes=None,
        inherit=(),
    )


def test_every_key(project: Path) -> None:
    (project.parent / "prod.yml").touch()
    keys = 'file = "prod.yml"\nservice = "web"\nport = 80\njar = "/app/a.jar"\ncpus = 1.5\nmemory = "512 MiB"\n'
    project.write_text(f"{FILE}[target.compose]\n{keys}")
    compose = config.load(project).target.deployment
    assert isinstance(compose, ComposeDeployment)
    assert (compose.service, compose.port, compose.jar) == ("web", 80, "/app/a.jar")
    assert (compose.cpus, compose.memory_bytes) == (1.5, 512 << 20)


def test_a_war_may_be_mounted(project: Path) -> None:
    project.write_text(f'{FILE}[target.compose]\njar = "/app/a.war"\n')
    compose = config.load(project).target.deployment
    assert isinstance(compose, ComposeDeployment)
    assert compose.jar == "/app/a.war"


def test_a_file_may_describe_both_ways(project: Path) -> None:
    both = FILE.replace('deploy = "compose"', 'command = ["x", "{artifact}", "{port}"]')
    project.write_text(f'{both}[target.compose]\nservice = "web"\n')
    assert config.load(project).target.deployment == ProcessDeployment(command=("x", "{artifact}", "{port}"))
    chosen = config.load(project, overrides={"target.deploy": "compose"}).target.deployment
    assert isinstance(chosen, ComposeDeployment)
    assert chosen.service == "web"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (FILE.replace("compose", "composed"), "target.deploy"),
        (FILE.replace('deploy = "compose"\n', ""), "line 2, target.command: missing, and it has no default"),
        (
            FILE.replace('deploy = "compose"\n', "") + '[target.compose]\nservice = "web"\n',
            'is for target.deploy = "compose"; add that line',
        ),
        (f'{FILE}[target.compose]\nfile = "none.yml"\n', "line 7, target.compose.file: there is no file"),
        (f'{FILE}[target.compose]\njar = "app.jar"\n', "is not an absolute path of a jar"),
        (f'{FILE}[target.compose]\njar = "/../app.jar"\n', "is not an absolute path of a jar"),
        (f"{FILE}[target.compose]\ncpus = 0.0\n", "target.compose.cpus"),
        (f'{FILE}[target.compose]\nmemory = "1 MiB"\n', "target.compose.memory"),
        (f"{FILE}[target.compose]\nimage = 1\n", "target.compose.image"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(project: Path, text: str, message: str) -> None:
    project.write_text(text)
    with pytest.raises(ConfigError) as info:
        config.load(project)
    assert message in info.value.message
