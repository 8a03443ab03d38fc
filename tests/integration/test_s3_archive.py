"""Runs and baselines in a real S3-compatible server, over its own protocol and with its own refusals."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pacecar.archive import RunError, StoreError
from pacecar.archive.baselines import baseline_run, find_baseline, list_baselines, promote, verify
from pacecar.archive.bucket import Bucket
from pacecar.archive.promotions import SharedStore
from pacecar.archive.runs import RunDirectory
from pacecar.archive.shared import Shared, run_object
from pacecar.model.experiment import Side
from pacecar.model.recording import Manifest, Pair, RunState
from pacecar.model.stored_builds import Origin, StoredBuild
from support import go_programs
from support.object_store import gateway
from support.object_store.gateway import ACCESS_KEY, BUCKET, Gateway
from unit.archive import processes
from unit.archive.conftest import make_pair, manifest, raw  # noqa: F401  fixtures

pytestmark = pytest.mark.skipif(bool(go_programs.lacking("versitygw")), reason=go_programs.lacking("versitygw"))

KILLS = 100


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    with gateway.running(tmp_path_factory.mktemp("gateway")) as running:
        yield running


@pytest.fixture(autouse=True)
def credentials(server: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    for name, value in server.environment.items():
        if name.startswith("AWS_"):
            monkeypatch.setenv(name, value)


@pytest.fixture
def options(server: Gateway) -> dict[str, str | int | bool]:
    return {"endpoint": server.endpoint, "region": "us-east-1"}


@pytest.fixture
def url(request: pytest.FixtureRequest) -> str:
    """A prefix of the test's own."""
    return f"s3://{BUCKET}/{request.node.originalname}"


@pytest.fixture
def here(url: str, options: dict[str, str | int | bool], tmp_path: Path) -> Shared:
    return Shared(bucket=Bucket(url, options), root=tmp_path / ".pacecar")


@pytest.fixture
def model(
    tmp_path: Path,
    manifest: Manifest,  # noqa: F811
    make_pair: Callable[..., Pair],  # noqa: F811
    raw: dict[Side, Path],  # noqa: F811
) -> RunDirectory:
    run = RunDirectory.create(tmp_path / "model", replace(manifest, run_id="20250101-000000-0000"))
    run.write_pair(make_pair(1, rows=200), raw)
    run.set_state(RunState.COMPLETE)
    return run


def test_names_are_asked_for_from_an_offset(here: Shared) -> None:
    for number in range(30):
        here.bucket.put(f"runs/2025{number:02d}.x", b"1")
    assert set(here.bucket.names_between("runs", "202505", "202508")) == {"202505.x", "202506.x", "202507.x"}
    assert len(here.bucket.names_between("runs", "202505.x", "~")) == 24
    assert here.bucket.names_between("nothing", "a", "b") == {}


def test_from_one_machine_to_another(here: Shared, model: RunDirectory, tmp_path: Path, server: Gateway) -> None:
    jar = tmp_path / "orders.jar"
    jar.write_bytes(os.urandom(12 << 20))  # put in several parts
    digest = processes.sha256(jar)
    build = StoredBuild(origin=Origin.ARTIFACT, label="orders", commit="", file_name="orders.jar", sha256=digest)
    promote(model, "feature/größer+mehr!", SharedStore(here), build=build, content=jar)
    elsewhere = SharedStore(replace(here, root=tmp_path / "elsewhere"))
    (baseline,) = list_baselines(elsewhere)
    assert (baseline.branch, baseline.run_id) == ("feature/größer+mehr!", model.manifest.run_id)
    assert baseline_run(elsewhere, baseline.branch).manifest == model.manifest
    found, file = elsewhere.build_of(find_baseline(elsewhere, baseline.branch))
    assert file is not None
    assert (found.size, processes.sha256(file)) == (12 << 20, digest)
    assert verify(elsewhere) == (1, [])
    # They are objects in the server, not something of ours beside it.
    stored = server.data / BUCKET / here.bucket.url.rpartition("/")[2]
    assert sorted(path.name for path in stored.iterdir()) == ["baselines", "builds", "runs"]


def test_what_is_removed_is_gone(here: Shared, model: RunDirectory) -> None:
    name = here.put(model)
    assert here.remove([run_object(name)], needed=set) == [run_object(name)]
    assert here.runs() == []
    with pytest.raises(RunError, match="is gone"):
        here.fetch(name)


def test_more_runs_than_one_page_of_a_listing(here: Shared, model: RunDirectory) -> None:
    name = here.put(model)
    for number in range(1100):
        here.bucket.put(run_object(replace(name, run_id=f"20250102-{number:06d}-0000", size=1)), b"x")
    assert len(here.runs()) == 1101


def test_two_promote_at_once(here: Shared, model: RunDirectory, url: str, server: Gateway) -> None:
    both = [
        processes.start(processes.PROMOTING, model.path, here.root, url, server.endpoint, 10, mark) for mark in (1, 2)
    ]
    told = [processes.told(writer.communicate()[0]) for writer in both]
    assert [len(each) for each in told] == [10, 10]
    store = SharedStore(here)
    assert {(each.branch, each.run_id) for each in list_baselines(store)} == told[0] | told[1]
    assert verify(store) == (20, [])


def test_one_promotes_while_another_prunes(here: Shared, model: RunDirectory, url: str, server: Gateway) -> None:
    with processes.start(processes.PRUNING, model.path, here.root, url, server.endpoint) as pruner:
        with processes.start(processes.PROMOTING, model.path, here.root, url, server.endpoint, 30, 1) as writer:
            told = processes.told(writer.communicate()[0])
        removed, _ = pruner.communicate("done")
    assert len(told) == 30
    assert sum(map(int, removed.split())) > 0
    store = SharedStore(here)
    kept = list_baselines(store)
    assert kept[-1].run_id == max(run_id for _, run_id in told)
    assert verify(store) == (len(kept), [])


def test_killed_at_any_moment(here: Shared, model: RunDirectory, url: str, server: Gateway) -> None:
    with processes.start(processes.KILLED, model.path, here.root, url, server.endpoint, KILLS) as killed:
        output, _ = killed.communicate()
    assert killed.returncode == 0
    told = processes.told(output)
    assert len(told) > KILLS / 4
    store = SharedStore(here)
    kept = {(baseline.branch, baseline.run_id) for baseline in list_baselines(store)}
    assert told <= kept
    assert len(kept - told) <= KILLS
    assert verify(store) == (len(list_baselines(store)), [])


class TestRefusals:
    """One sentence each, without a secret in it."""

    def test_a_bucket_that_is_not_there(self, options: dict[str, str | int | bool], model: RunDirectory) -> None:
        shared = Shared(bucket=Bucket("s3://nobody/orders", options), root=model.path.parent)
        for ask in (shared.runs, SharedStore(shared).baselines, lambda: promote(model, "main", SharedStore(shared))):
            with pytest.raises(StoreError, match=r"^There is no bucket at s3://nobody/orders\.$"):
                ask()

    @pytest.mark.parametrize("variable", ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"])
    def test_wrong_credentials(
        self,
        url: str,
        options: dict[str, str | int | bool],
        model: RunDirectory,
        monkeypatch: pytest.MonkeyPatch,
        variable: str,
    ) -> None:
        monkeypatch.setenv(variable, "wrong")
        shared = Shared(bucket=Bucket(url, options), root=model.path.parent)
        for ask in (shared.runs, lambda: shared.put(model)):
            with pytest.raises(StoreError) as caught:
                ask()
            assert caught.value.message == f"{url} refuses these credentials."
            assert "AWS_ACCESS_KEY_ID" in str(caught.value.hint)
            assert ACCESS_KEY not in str(caught.value.hint)

    def test_a_server_that_goes_down(self, tmp_path: Path, model: RunDirectory) -> None:
        with gateway.running(tmp_path) as running:
            options = {"endpoint": running.endpoint, "region": "us-east-1"}
            shared = Shared(bucket=Bucket(running.url, options), root=tmp_path / ".pacecar")
            name = shared.put(model)
        for ask in (shared.runs, lambda: shared.fetch(name)):
            with pytest.raises(StoreError, match=f"^{running.url} cannot be reached: "):
                ask()

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small file system")
    def test_a_server_whose_disk_is_full(self, tmp_path: Path, model: RunDirectory) -> None:
        small = tmp_path / "small"
        small.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", small], capture_output=True)
        if mounted.returncode:
            pytest.skip("mounting is not allowed here")
        try:
            with gateway.running(tmp_path, data=small / "data") as running:
                options = {"endpoint": running.endpoint, "region": "us-east-1"}
                store = SharedStore(Shared(bucket=Bucket(running.url, options), root=tmp_path / ".pacecar"))
                told: list[str] = []
                with pytest.raises(StoreError):
                    processes.promote_until_refused(model, store, told)
                assert told
                assert [each.run_id for each in list_baselines(store)] == told
                assert verify(store) == (len(told), [])
        finally:
            subprocess.run(["umount", small], check=True)


def test_processes_that_used_the_store_end_as_they_should(here: Shared, url: str, server: Gateway) -> None:
    """A client whose threads outlive the interpreter would abort some of them."""
    script = (
        "import sys; from pacecar.archive.bucket import Bucket\n"
        "bucket = Bucket(sys.argv[1], {'endpoint': sys.argv[2], 'region': 'us-east-1'})\n"
        "for number in range(5): bucket.put(f'a/{number}', b'1'); bucket.names('a'); bucket.remove(f'a/{number}')"
    )
    ended = [
        subprocess.run([sys.executable, "-c", script, url, server.endpoint], capture_output=True) for _ in range(20)
    ]
    assert [(each.returncode, each.stderr) for each in ended] == [(0, b"")] * 20
