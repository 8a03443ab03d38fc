"""The command on a service that asks a store for every request, each fork its own; and what goes wrong with it."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import psutil
import pytest

from end_to_end.conftest import command_of
from pacecar.model.tables import TABLES

#: Seconds of CPU time that the store's worker works for an answer.
WORK_S = 0.002
#: Listens, and has a process in a session of its own answer, as a database may. Arguments: port, folder, what is odd:
#: `dies-2` once it was asked, but for the first two that were started.
STORE = f"""
import os, pathlib, socket, sys, time
port, folder, mode = int(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
print("store in mode", mode, flush=True)
if mode == "exits":
    sys.exit("no space left")
if mode == "silent":
    time.sleep(600)
with open("starts", "a+") as starts:
    starts.write("x")
    starts.seek(0)
    started = len(starts.read())
server = socket.create_server(("127.0.0.1", port))
print("open for business", flush=True)
if os.fork():
    if mode.startswith("dies-") and started > int(mode[5:]):
        while not (folder / "asked").exists():
            time.sleep(0.05)
        sys.exit("out of handles")
    time.sleep(3600)
os.setsid()
asked = 0
while True:
    connection, _ = server.accept()
    if not connection.recv(100):  # somebody who looks whether we are there
        continue
    asked += 1
    if asked == 100:
        (folder / "asked").touch()
    begun = time.process_time()
    while time.process_time() - begun < {WORK_S}:
        pass
    connection.sendall(b"x")
    connection.close()
"""
#: What the service does before it writes a report.
ASK = """try (var store = new java.net.Socket("127.0.0.1", Integer.parseInt(System.getenv("STORE_PORT")))) {
                store.getOutputStream().write(1);
                if (store.getInputStream().read() != 'x') throw new java.io.IOException("no answer");
            }
            var body = Report.write();"""
SAME = ("compare", "--baseline", ".", "--candidate", ".", "--set", "builds.measure_equal=true")


@pytest.fixture
def stored(small) -> Any:
    """Makes the project of a service with a store that has something odd about it."""
    project, service = small

    def made(mode: str = "plain", *, more: str = "", program: str = sys.executable) -> Any:
        source = project.folder / "Service.java"
        source.write_text(source.read_text().replace("var body = Report.write();", ASK))
        (project.folder / "store.py").write_text(STORE)
        config = project.folder / "pacecar.toml"
        config.write_text(
            config.read_text()
            + '\n[target.env]\nSTORE_PORT = "{store.port}"\n\n[[target.dependencies]]\nname = "store"\n'
            + f"command = {json.dumps([program, 'store.py', '{port}', '{folder}', mode])}\n{more}"
        )
        service.commit_as_it_is("It asks a store")
        return project

    return made


def stores(project: Any) -> list[psutil.Process]:
    return [each for each in project.processes() if "store.py" in command_of(each)]


@pytest.mark.shares_machine
def test_each_fork_has_a_store_whose_work_is_told_apart(stored: Any) -> None:
    project = stored()
    planned = project.pacecar(*SAME, "--dry-run")
    assert "small, with store" in planned.stdout

    done = project.pacecar(*SAME, "--pairs", "2", "--fail-on", "nothing")
    # On a machine that is busy with other things no pair is judged; what was recorded is there all the same.
    assert done.returncode in (0, 3), done.stderr
    assert project.left_behind() == []
    ports = set()
    for pair in ("01", "02"):
        folder = project.run / "pairs" / pair
        forks = json.loads((folder / "pair.json").read_text())["forks"]
        for side in ("baseline", "candidate"):
            (dependency,) = forks[side]["dependencies"]
            assert dependency["name"] == "store"
            ports.add(dependency["command"][2])
            assert (folder / side / "raw" / "store.log").read_text() == "store in mode plain\nopen for business\n"
            _check_what_it_used(folder / side)
    assert len(ports) == 4
    rows = [fork["dependencies"] for pair in project.document["pairs"] for fork in pair["forks"]]
    assert all([each["name"] for each in row] == ["store"] for row in rows)
    assert all(row[0]["cpu_s"] > 0 for row in rows)
    assert "CPU time beside the candidate, in its windows: store " in (project.run / "report.html").read_text()


def _check_what_it_used(side: Path) -> None:
    used = pd.read_parquet(side / "dependencies.parquet")
    assert list(used.columns) == list(TABLES["dependencies"])
    edges = used.pivot(index="window", columns="edge", values="cpu_ns")
    answered = pd.read_parquet(side / "requests.parquet")
    assert answered["ok"].all()
    answered = answered[answered["window"].isin(edges.index)]
    # The worker is a process that the store has started, in a session of its own.
    assert (edges["end"] - edges["start"]).sum() / 1e9 >= 0.9 * WORK_S * len(answered)
    assert pd.read_parquet(side / "peers.parquet").empty, "it is no stranger that the service is connected to"


CASES: dict[str, tuple[dict[str, str], int, list[str]]] = {
    "exits": (
        {"mode": "exits"},
        3,
        [" of small ended with status 1 before it was ready.", "no space left"],
    ),
    "never ready": (
        {"mode": "silent", "more": 'ready_timeout = "1 s"\n'},
        3,
        [
            " of small was not ready after",
            "nothing accepts connections on its port",
        ],
    ),
    "no such line": (
        {"more": 'ready_line = "open all night"\nready_timeout = "1 s"\n'},
        3,
        ['it has not printed "open all night"', "open for business"],
    ),
    "no such program": (
        {"program": "no-such-store"},
        2,
        ["): cannot start 'no-such-store'", "pacecar doctor"],
    ),
    "an unknown name": (
        {"more": '[target.hooks]\nsetup = [["fill", "{shop.port}"]]\n'},
        2,
        ["target.hooks.setup: {shop.port} is not filled in", 'only "store"'],
    ),
    "dies under load, and the reset that needs it fails": (
        {"mode": "dies-0", "more": '[target.hooks]\nreset = [["false"]]\n'},
        3,
        ["The dependency store of the ", " of small ended with status 1 while it was measured.", "out of handles"],
    ),
}


@pytest.mark.shares_machine
@pytest.mark.parametrize(("made", "status", "said"), CASES.values(), ids=CASES.keys())
def test_what_goes_wrong_is_one_sentence_and_leaves_nothing(
    stored: Any, made: dict[str, str], status: int, said: list[str]
) -> None:
    project = stored(**made)
    ended = project.pacecar(*SAME, "--pairs", "1")
    assert ended.returncode == status, ended.stderr
    for words in said:
        assert words in ended.stderr
    assert "Traceback" not in ended.stderr
    assert project.left_behind() == []
    if status == 2:
        assert not (project.folder / ".pacecar" / "runs").exists() or not list(project.run.glob("pairs/*"))


@pytest.mark.shares_machine
def test_pairs_from_before_a_store_died_are_kept(stored: Any) -> None:
    project = stored("dies-2")
    ended = project.pacecar(*SAME, "--pairs", "3", "--set", "plan.stop_early=false")
    assert ended.returncode == 3, ended.stderr
    assert "of small ended with status 1 while it was measured." in ended.stderr
    assert project.left_behind() == []
    assert [path.name for path in (project.run / "pairs").iterdir()] == ["01"]
    assert json.loads((project.run / "manifest.json").read_text())["state"] == "interrupted"
    judged = project.pacecar("judge", "--fail-on", "nothing")
    assert judged.returncode in (0, 3), judged.stderr
    assert len(project.document["pairs"]) == 1


@pytest.mark.shares_machine
def test_an_interrupt_while_a_store_is_awaited_leaves_nothing(stored: Any) -> None:
    project = stored("silent")
    compare = project.start(*SAME, "--pairs", "1")
    project.wait(lambda: stores(project), compare)
    compare.send_signal(signal.SIGINT)
    _, errors = compare.communicate(timeout=120)
    assert compare.returncode == 130, errors
    assert project.left_behind() == []


@pytest.mark.shares_machine
def test_after_a_kill_the_stores_are_cleaned_up(stored: Any) -> None:
    project = stored()
    compare = project.start(*SAME, "--pairs", "1")
    project.wait(lambda: len(project.services()) == 2, compare)
    assert len(stores(project)) == 4, "two of them, with a worker each"
    compare.kill()
    compare.communicate(timeout=60)
    assert len(stores(project)) == 4
    cleaned = project.pacecar("clean")
    assert cleaned.returncode == 0
    assert cleaned.stdout.count("ended process") >= 6
    assert project.left_behind() == []
