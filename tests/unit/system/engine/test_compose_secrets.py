"""What a compose file holds of secrets, and what it only calls so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pacecar.system.engine.compose import Resolved
from pacecar.system.engine.compose_secrets import struck_of
from pacecar.text.hidden import MARK, Struck

pytestmark = pytest.mark.hostile

SECRET = "hunter2-s3cr3t"


def resolved(services: dict[str, Any], **more: Any) -> Resolved:
    return Resolved(file=Path("docker-compose.yml"), services=services, **more)


@pytest.mark.parametrize(
    "service",
    [
        {"environment": {"DB_PASSWORD": SECRET}},
        {"environment": {"DB_URL": f"postgres://ada:{SECRET}@db/orders"}},
        {"environment": {"JAVA_OPTS": f"-Xmx1g -Dapi.token={SECRET}"}},
        {"build": {"context": ".", "args": {"NPM_TOKEN": SECRET}}},
        {"command": ["redis-server", "--requirepass", SECRET]},
        {"command": ["serve", f"--admin-password={SECRET}"]},
        {"entrypoint": ["serve", "--api-key", SECRET]},
        {"healthcheck": {"test": ["CMD", "ping", f"--password={SECRET}"]}},
    ],
    ids=lambda service: " ".join(map(str, service)),
)
def test_a_secret_is_known_wherever_it_stands(service: dict[str, Any]) -> None:
    struck = struck_of(resolved({"app": {"image": "shop/app:1", **service}, "other": {}}), ["app", "other"])
    assert struck.out_of(f"it is {SECRET}.") == f"it is {MARK}."


def test_a_dollar_sign_is_one() -> None:
    struck = struck_of(resolved({"app": {"environment": {"TOKEN": "s3cret$$HOME"}}}), ["app"])
    assert struck.out_of("s3cret$HOME") == MARK


def test_a_number_and_a_variable_without_value() -> None:
    struck = struck_of(resolved({"app": {"environment": {"API_TOKEN": 12345678, "DB_PASSWORD": None}}}), ["app"])
    assert struck.out_of("12345678") == MARK


def test_declared_secrets_are_those_of_the_services_that_come_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "password").write_text(f"{SECRET}\n")
    monkeypatch.setenv("OF_THE_USER", "another-s3cret")
    file = resolved(
        {"app": {"secrets": [{"source": "db"}, {"source": "api"}, {"source": "gone"}, {"source": "swarm"}]}},
        secrets={
            "db": {"file": str(tmp_path / "password")},
            "api": {"environment": "OF_THE_USER"},
            "gone": {"file": str(tmp_path / "gone")},
            "swarm": {"external": True},
        },
    )
    assert struck_of(file, ["app"]).out_of(f"{SECRET} another-s3cret") == f"{MARK} {MARK}"
    assert struck_of(resolved({"app": {}}, secrets=file.secrets), ["app"]) == Struck()


def test_a_word_that_the_file_says_in_plain_is_no_secret() -> None:
    services = {
        "orders": {
            "image": "shop/orders@sha256:12",
            "environment": {"DB_PASSWORD": "orders", "SPRING_PROFILES_ACTIVE": "production", "ADMIN_TOKEN": SECRET},
        },
        "postgres": {"image": "docker.io/library/postgres:17", "environment": {"POSTGRES_PASSWORD": "postgres"}},
        "mysql": {"image": "mariadb:11", "environment": {"MYSQL_USER": "catalog", "MYSQL_PASSWORD": "catalog"}},
    }
    struck = struck_of(resolved(services), list(services))
    assert struck.out_of("orders postgres production catalog") == "orders postgres production catalog"
    assert struck.out_of(SECRET) == MARK


def test_an_address_that_holds_a_password_does_not_say_it_in_plain() -> None:
    variables = {"DB_URL": f"postgres://ada:{SECRET}@db/orders", "DB_PASSWORD": SECRET}
    assert struck_of(resolved({"app": {"environment": variables}}), ["app"]).out_of(SECRET) == MARK
