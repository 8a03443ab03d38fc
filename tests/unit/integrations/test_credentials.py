"""Credentials come from the environment, and are out of it while anything foreign runs."""

from __future__ import annotations

import base64
import os

import pytest

from pacecar.integrations.credentials import CredentialsError, server, withdrawn


def test_a_token_and_a_tenant(monkeypatch) -> None:
    monkeypatch.setenv("PACECAR_PYROSCOPE_TOKEN", "t0ken")
    monkeypatch.setenv("PACECAR_PYROSCOPE_TENANT", "team-a")
    monkeypatch.setenv("PACECAR_PROMETHEUS_TOKEN", "another")
    assert server("http://p", kind="PYROSCOPE").headers == {
        "Authorization": "Bearer t0ken",
        "X-Scope-OrgID": "team-a",
    }


def test_user_and_password(monkeypatch) -> None:
    monkeypatch.setenv("PACECAR_PROMETHEUS_USER", "ada")
    monkeypatch.setenv("PACECAR_PROMETHEUS_PASSWORD", "pä:ss")
    shown = server("http://p", kind="PROMETHEUS").headers["Authorization"]
    assert base64.b64decode(shown.removeprefix("Basic ")).decode() == "ada:pä:ss"


def test_while_foreign_code_runs_none_is_there_and_afterwards_all_are(monkeypatch) -> None:
    monkeypatch.setenv("PACECAR_PYROSCOPE_PASSWORD", "s3cret")
    monkeypatch.setenv("PACECAR_PROMETHEUS_TOKEN", "s3cret")
    for _ in range(2):  # as often as one process measures
        assert server("http://p", kind="PROMETHEUS").headers == {"Authorization": "Bearer s3cret"}
        with withdrawn():
            assert "s3cret" not in os.environ.values()
            assert server("http://p", kind="PROMETHEUS").headers == {}
    with pytest.raises(InterruptedError), withdrawn():
        raise InterruptedError
    assert os.environ["PACECAR_PYROSCOPE_PASSWORD"] == "s3cret"


def test_nothing_is_nothing() -> None:
    assert server("http://p", kind="PROMETHEUS").headers == {}


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"TOKEN": "a", "USER": "b"}, "Both PACECAR_PYROSCOPE_TOKEN and PACECAR_PYROSCOPE_USER or _PASSWORD are set"),
        ({"TOKEN": "s3cret\nX-Other: 1"}, "PACECAR_PYROSCOPE_TOKEN holds a character"),
        ({"TENANT": "té"}, "PACECAR_PYROSCOPE_TENANT holds a character"),
    ],
)
def test_what_makes_no_sense_is_said_without_the_secret(monkeypatch, variables, said) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(f"PACECAR_PYROSCOPE_{name}", value)
    with pytest.raises(CredentialsError, match=said) as caught:
        server("http://p", kind="PYROSCOPE")
    assert "s3cret" not in caught.value.told
