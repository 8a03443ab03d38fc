"""What is said to somebody whose service does not get ready."""

import sys
from dataclasses import replace

import pytest

from pacecar.measurement.deploy import DeployError
from pacecar.measurement.deploy.advice import advice
from pacecar.model.experiment import Readiness
from support.process_forks import commanded


@pytest.mark.parametrize(
    ("answer", "listening", "printed", "said"),
    [
        ("status 404", (), "", "with the context path"),
        ("status 401", (), "", "asks for a login"),
        ("status 302", (), "", "answers 2xx itself"),
        ("status 503", (), "", "such as a database"),
        ("nothing listens there yet", (8080,), "", "It listens on port 8080 instead of 20001"),
        ("nothing listens there yet", (), "", "ready_timeout"),
        ("", (), "no main manifest attribute, in /x/app.jar", "source.artifact"),
        ("", (), "java.lang.UnsupportedClassVersionError: Main", "JAVA_HOME"),
        ("", (), "java.lang.NoClassDefFoundError: io/javalin/Javalin", "Class-Path"),
        ("", (), "java.net.BindException: Address already in use", "take turns"),
        ("", (), "Exception in thread main", ""),
    ],
)
def test_advice(answer, listening, printed, said):
    told = advice(answer=answer, port=20001, listening=listening, printed=printed)
    assert said in told
    assert bool(told) == bool(said)


def test_a_service_that_listens_elsewhere_is_told_apart(start, target):
    script = (
        "import socket, time; s = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1]); time.sleep(60)"
    )
    elsewhere = replace(commanded(target, sys.executable, "-u", "-c", script), ready=Readiness(path="/", timeout_s=2))
    fork = start(elsewhere)
    with pytest.raises(DeployError, match="nothing listens there yet") as caught:
        fork.await_ready()
    port = fork.log.read_text().split()[0]
    assert f"It listens on port {port} instead of {fork.url.rpartition(':')[2]}" in str(caught.value.hint)
    assert "It printed last:" in str(caught.value.hint)
