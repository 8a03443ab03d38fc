"""Forwarding while a run goes on: whatever the server does, the measurement does not notice."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pacecar.archive.baselines import promote
from pacecar.archive.folders import FolderStore
from pacecar.archive.forwarded import forwarded, note_forwarded
from pacecar.archive.runs import RunDirectory
from pacecar.integrations.exchange import Server
from pacecar.measurement.deploy.ports import free_port
from pacecar.model.experiment import Pyroscope, Side
from pacecar.model.options import RunOptions
from pacecar.model.recording import Pair, RunKind
from pacecar.workflow.evaluating import baseline_of, pyroscope_links_of
from pacecar.workflow.forwarding import Forwarder
from support.recordings import manifest

STACK = "java.lang.Thread.run\nshop.Orders.price"
REFUSAL: tuple[int, dict[str, str], bytes] = (400, {}, b'{"message":"too old"}')


@pytest.fixture
def run(tmp_path: Path) -> RunDirectory:
    return RunDirectory.create(tmp_path / "archive", replace(manifest(), options=RunOptions()))


@pytest.fixture
def pairs(make_pairs, truth) -> list[Pair]:
    profiled = truth(stacks_ms={STACK: 1.0})
    return list(make_pairs(4, baseline=profiled, candidate=profiled))


def _forwarder(url: str) -> Forwarder:
    target = Pyroscope(url=url, service="orders")
    return Forwarder(target=target, server=Server(url=url), seconds=5.0)


def test_what_was_taken_is_remembered_and_linked_to(run, pairs, scripted) -> None:
    sender = _forwarder(scripted.url)
    for pair in pairs[:2]:
        sender.pair(run, pair)
    assert sender.summary(run.path.name) == ""
    (known,) = forwarded(run.path)
    assert known.windows == {1: tuple(range(8)), 2: tuple(range(8))}
    assert (known.from_ns, known.until_ns) == (
        pairs[0].record.windows[0].start_ns,
        max(window.end_ns for window in pairs[1].record.windows),
    )
    elsewhere = pyroscope_links_of(run, None)
    assert elsewhere is not None
    assert (elsewhere.url, elsewhere.service) == (scripted.url, "orders")
    assert (elsewhere.baseline.side, elsewhere.candidate.side) == (Side.BASELINE, Side.CANDIDATE)


def test_only_what_is_missing_is_sent_again(run, pairs, scripted) -> None:
    scripted.answers = [(200, {}, b"{}"), (200, {}, b"{}"), REFUSAL]
    first = _forwarder(scripted.url)
    first.pair(run, pairs[0])
    assert first.summary("RUN") == (
        f"Pyroscope at {scripted.url} took 2 of 8 windows: it answered 400: too old. Send the rest: pacecar forward RUN"
    )
    scripted.answers, scripted.asked = [(200, {}, b"{}")], []
    again = _forwarder(scripted.url)
    again.pair(run, pairs[0])
    assert (again.sent, again.left, len(scripted.asked)) == (6, 0, 6)
    assert forwarded(run.path)[0].windows == {1: tuple(range(8))}


def test_a_server_that_takes_nothing_is_left_alone(run, pairs, scripted) -> None:
    scripted.answers = [REFUSAL]
    sender = _forwarder(scripted.url)
    for pair in pairs:
        sender.pair(run, pair)
    assert len(scripted.asked) == 2
    assert (sender.sent, sender.left) == (0, 32)
    assert forwarded(run.path) == ()
    assert pyroscope_links_of(run, None) is None


def test_a_dead_server_and_a_damaged_record_are_a_line_and_no_exception(run, pairs) -> None:
    sender = _forwarder(f"http://127.0.0.1:{free_port()}")
    sender.pair(run, pairs[0])
    assert "took 0 of 8 windows: it cannot be reached: Connection refused." in sender.summary("RUN")
    (run.path / "forwarded.json").write_text("{")
    sender = _forwarder("http://127.0.0.1:9")
    sender.pair(run, pairs[0])
    assert "forwarded.json is not JSON" in sender.summary("RUN")


def test_a_stored_baseline_is_linked_to_where_the_same_server_has_it(run, make_pair, truth, tmp_path, scripted) -> None:
    archive = tmp_path / "archive"
    profiled = truth(stacks_ms={STACK: 1.0})
    before = make_pair(1, baseline=profiled, candidate=None)
    recorded = replace(
        manifest(),
        run_id="20250101-000000-0000",
        kind=RunKind.RECORDING,
        builds={Side.BASELINE: manifest().builds[Side.BASELINE]},
    )
    baseline = RunDirectory.create(archive, recorded)
    baseline.write_pair(before, {})
    _forwarder(scripted.url).pair(baseline, before)
    store = FolderStore(archive)
    promote(baseline, "main", store)

    run.write_manifest(replace(run.manifest, options=RunOptions(stored="main")))
    assert pyroscope_links_of(run, baseline_of(run, store)) is None
    _forwarder(scripted.url).pair(run, make_pair(1, baseline=None, candidate=profiled))
    found = pyroscope_links_of(run, baseline_of(run, store))
    assert found is not None
    assert (found.baseline.run_id, found.baseline.side) == ("20250101-000000-0000", Side.BASELINE)
    assert (found.candidate.run_id, found.candidate.side) == (run.manifest.run_id, Side.CANDIDATE)


def test_another_server_is_sent_everything(run, pairs, scripted) -> None:
    sender = _forwarder(scripted.url)
    sender.pair(run, pairs[0])
    (known,) = forwarded(run.path)
    (run.path / "forwarded.json").unlink()
    note_forwarded(run.path, replace(known, url="http://another"))
    sender.pair(run, pairs[0])
    assert [each.url for each in forwarded(run.path)] == [scripted.url, "http://another"]


def test_one_line_at_the_end_and_none_where_all_went_well(run, pairs, scripted) -> None:
    sender = _forwarder(scripted.url)
    sender.pair(run, pairs[0])
    assert sender.summary("RUN") == ""
    scripted.answers = [REFUSAL]
    sender.pair(run, pairs[1])
    assert sender.summary("RUN") == (
        f"Pyroscope at {scripted.url} took 8 of 16 windows: it answered 400: too old. "
        "Send the rest: pacecar forward RUN"
    )
