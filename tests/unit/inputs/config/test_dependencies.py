"""What a fork needs beside it, as the file says it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pacecar.inputs import config
from pacecar.inputs.config import ConfigError
from pacecar.inputs.config.kept import kept_text
from pacecar.model.deployment import ComposeDeployment, Dependency, ProcessDeployment

FILE = """
[target]
name = "orders"
command = ["{java}", "-jar", "{artifact}", "--server.port={port}", "--store={store.port}"]
ready = "/ready"
env = { CACHE = "{cache.folder}/c", PATTERN = "%d{yyyy.mm} {logger.name} {x}" }

[target.hooks]
setup = [["fill", "{store.port}"]]

[[target.dependencies]]
name = "store"
command = ["{java}", "-cp", "{artifact}", "Store", "{port}", "{folder}"]

[[target.dependencies]]
name = "cache"
command = ["cache", "--behind={store.port}"]
ready_line = "up"
"""
COMPOSE = '[target]\nname = "orders"\ndeploy = "compose"\nready = "/health"\n'
ONE = '[[target.dependencies]]\nname = "store"\ncommand = ["store", "{port}"]\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "docker-compose.yml").write_text("services: {}")
    return tmp_path / "pacecar.toml"


def read(file: Path, text: str) -> tuple[Dependency, ...]:
    file.write_text(text)
    deployment = config.load(file).target.deployment
    assert isinstance(deployment, ProcessDeployment)
    return deployment.dependencies


def test_defaults(file: Path) -> None:
    store, cache = read(file, FILE)
    assert store == Dependency(
        name="store",
        command=("{java}", "-cp", "{artifact}", "Store", "{port}", "{folder}"),
        directory=file.parent,
        timeout_s=60,
    )
    assert (cache.ready_path, cache.ready_line) == (None, "up")


def test_every_key(file: Path) -> None:
    (file.parent / "db").mkdir()
    keys = (
        'ready = "/up"\nready_timeout = "2 min"\ndirectory = "db"\nenv = { SIZE = "{port}" }\n'
        'secrets = { PASSWORD = "STORE_PASSWORD" }\n'
    )
    store, _ = read(file, FILE.replace('name = "store"\n', f'name = "store"\n{keys}'))
    assert (store.ready_path, store.timeout_s, store.directory) == ("/up", 120.0, file.parent / "db")
    assert (store.env, store.secrets) == ({"SIZE": "{port}"}, {"PASSWORD": "STORE_PASSWORD"})


def test_a_plan_names_them(file: Path) -> None:
    file.write_text(FILE)
    assert config.load(file).target.deployment.summary == "with store and cache"


@pytest.mark.parametrize("theirs", ["${server.port}", "${store.port}"])
def test_braces_behind_a_dollar_sign_are_those_of_the_service(file: Path, theirs: str) -> None:
    file.write_text(FILE.replace("--store={store.port}", f"--store={theirs}"))
    assert f"--store={theirs}" in config.load(file).target.deployment.command


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "--store={store.port}",
            "--store={stor.port}",
            'line 4, target.command: {stor.port} is not filled in: there is no dependency "stor", only "store", "cache"'
            '; did you mean "store"?',
        ),
        ("{cache.folder}", "{cash.folder}", "line 6, target.env.CACHE: {cash.folder} is not filled in"),
        ('"{store.port}"]]', '"{shop.port}"]]', "line 9, target.hooks.setup: {shop.port} is not filled in"),
        ("--store={store.port}", "{store.host}", "a dependency has only {store.port} and {store.folder}"),
        ("--store={store.port}", "{cache.port}", '"cache" has {port} in neither its command nor its env'),
        (
            "{folder}",
            "{cache.port}",
            'line 13, target.dependencies.command: {cache.port} is not known yet: "cache" does not start',
        ),
        ("{folder}", "{store.port}", "{store.port} is not known yet"),
        ("{folder}", "{fork}", '{fork} is not filled in; did you mean "folder"?'),
        ("--behind={store.port}", "--behind={shop.folder}", 'there is no dependency "shop", only "store"'),
        (
            '"Store", "{port}"',
            '"Store", "2"',
            "line 13, target.dependencies.command: does not hold {port}, the port that Pacecar waits for",
        ),
        ('name = "cache"', 'name = "store"', 'line 16, target.dependencies.name: "store" occurs twice'),
        ('name = "cache"', 'name = "a.b"', 'target.dependencies.name: "a.b" is not a short name without dots'),
        (
            'name = "cache"',
            'name = "service"',
            '"service" is the name of another log of a fork; choose a different name',
        ),
        ('name = "cache"', 'name = "gc-1"', '"gc-1" is the name of another log of a fork'),
        ('ready_line = "up"', 'ready_line = "up"\nready = "/up"', "ready_line: give ready or ready_line, not both"),
        ('ready_line = "up"', 'ready_line = ""', "ready_line: must not be empty"),
        ('ready_line = "up"', 'directory = "gone"\nready_line = "up"', "directory: there is no directory"),
        ('ready_line = "up"', 'ready_line = "up"\nreedy = 1', 'unknown key; did you mean "ready"?'),
        ('ready_line = "up"', 'ready_line = "up"\nenv = {A = "a"}\nsecrets = {A = "B"}', "A: is also in env"),
        ('ready_line = "up"', 'ready_line = "up"\nsecrets = {A = "GITHUB_TOKEN"}', "belongs to the job"),
        ('command = ["cache", "--behind={store.port}"]', "command = []", "command: must not be empty"),
        ('ready_line = "up"', 'ready_line = "up"\nready_timeout = "1 h"', "ready_timeout"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(file: Path, old: str, new: str, message: str) -> None:
    assert old in FILE
    file.write_text(FILE.replace(old, new))
    with pytest.raises(ConfigError) as caught:
        config.load(file)
    assert message in caught.value.message


def test_a_reference_where_there_are_none(file: Path) -> None:
    file.write_text(FILE.partition("[[target.dependencies]]")[0])
    with pytest.raises(ConfigError, match=r'no dependency called "store" starts before it'):
        config.load(file)


def test_a_builds_own_environment_knows_them(file: Path) -> None:
    builds = '[builds.named.near]\nbuild = "tree:."\nenv = { NEAR = "{store.port}" }\n'
    read(file, FILE + builds)
    file.write_text(FILE + builds.replace("store", "shop"))
    with pytest.raises(ConfigError, match=r"builds\.named\.near\.env\.NEAR: \{shop\.port\} is not filled in"):
        config.load(file)


class TestCompose:
    """Containers have services of their own."""

    def test_a_file_of_containers_alone_has_none(self, file: Path) -> None:
        file.write_text(COMPOSE + ONE)
        with pytest.raises(ConfigError, match=r'target\.dependencies: is for target\.deploy = "process"; in a compose'):
            config.load(file)

    def test_a_file_may_describe_both_ways(self, file: Path) -> None:
        both = COMPOSE.replace('"compose"', '"process"\ncommand = ["x", "{artifact}", "{port}", "{store.port}"]')
        file.write_text(both + ONE)
        assert isinstance(config.load(file).target.deployment, ProcessDeployment)
        chosen = config.load(file, overrides={"target.deploy": "compose"}).target.deployment
        assert isinstance(chosen, ComposeDeployment)
        assert chosen.dependencies == ()

    def test_a_container_is_told_of_none(self, file: Path) -> None:
        both = COMPOSE.replace(
            "ready =", 'command = ["x", "{artifact}", "{port}"]\nenv = {A = "{store.port}"}\nready ='
        )
        file.write_text(both + ONE)
        with pytest.raises(ConfigError, match=r'env\.A: \{store\.port\} is filled in for target\.deploy = "process"'):
            config.load(file)


@pytest.mark.hostile
def test_what_is_kept_is_still_a_configuration(file: Path) -> None:
    secret = "hunter2-zq"
    more = f'env = {{ PORT = "{{port}}", AT = "x:{{store.port}}:{{folder}}", PASSWORD = "{secret}" }}\n'
    text = FILE.replace('ready_line = "up"', more).replace('"--behind={store.port}"', f'"--password={secret}"')
    before = read(file, text)
    kept = kept_text(text)
    assert secret not in kept
    deployment = config.parse(kept, file).target.deployment
    assert isinstance(deployment, ProcessDeployment)
    assert [each.name for each in deployment.dependencies] == ["store", "cache"]
    assert deployment.dependencies[1].env == {"PORT": "{port}", "AT": "***{store.port}{folder}", "PASSWORD": "***"}
    again = config.again(kept, file).target.deployment
    assert isinstance(again, ProcessDeployment)
    assert again.dependencies == before
