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
        ("status 400", (20001,), "", "name a page in target.ready that needs no parameters"),
        ("status 400", (20001,), "", "turn off TLS on that port, or its check of the Host header"),
        ("status 401", (), "", "asks for a login"),
        ("status 302", (), "", "answers 2xx itself"),
        ("status 503", (), "", "such as a database"),
        ("nothing listens there yet", (8080,), "", "It listens on port 8080 instead of 20001"),
        ("nothing listens there yet", (8080, 9090), "", "set port = 8080"),
        ("nothing listens there yet", (20001,), "", "It listens on port 20001, but not at 127.0.0.1"),
        ("no answer within 2 s", (8080, 20001), "", "answer GET /health in plain HTTP/1.1: turn TLS off there"),
        ("no valid HTTP answer (BadStatusLine)", (20001,), "", "that answers within 2 s"),
        ("nothing listens there yet", (), "", "ready_timeout"),
        (None, (), "no main manifest attribute, in /x/app.jar", "source.artifact"),
        (None, (), "java.lang.UnsupportedClassVersionError: Main", "JAVA_HOME"),
        (None, (), "java.lang.NoClassDefFoundError: io/javalin/Javalin", "Class-Path"),
        (None, (), "java.net.BindException: Address already in use", "take turns"),
        (None, (), "Exception in thread main", None),
    ],
)
def test_advice(answer, listening, printed, said):
    told = advice(answer=answer, path="/health", port=20001, listening=listening, printed=printed)
    assert said is None if told is None else said is not None and said in told


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


@pytest.mark.parametrize(
    ("host", "says", "told"),
    [
        ("127.0.0.1", r"\x15\x03\x03\0\2\2\x32", "does not answer GET / in plain HTTP/1.1: turn TLS off there"),
        ("127.0.0.2", "", "but not at 127.0.0.1"),
    ],
)
def test_a_service_that_listens_where_it_should_is_not_told_to_listen_there(start, target, host, says, told):
    script = (
        f"import socket, sys; s = socket.create_server(('{host}', int(sys.argv[1])))\n"
        f"while True: s.accept()[0].sendall(b'{says}')"
    )
    mute = replace(commanded(target, sys.executable, "-c", script, "{port}"), ready=Readiness(path="/", timeout_s=2))
    with pytest.raises(DeployError) as caught:
        start(mute).await_ready()
    assert told in str(caught.value.hint)
    assert "instead of" not in str(caught.value.hint)
