"""What a run knows of the noise of earlier ones: said once, shared between machines, never in the way of a verdict."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pacecar.archive.history import design_of, recall, trim
from pacecar.archive.runs import RunDirectory
from pacecar.model.options import RunOptions
from pacecar.model.recording import Pair, RunState
from pacecar.model.shared_archive import SharedArchive
from pacecar.workflow import evaluate
from pacecar.workflow.experiments import judged_experiment
from pacecar.workflow.history import bring, known
from pacecar.workflow.publishing import share
from support import recordings
from support.checkout import CHECKOUT

FIRST, SECOND, THIRD = (f"2026010{day}-000000-000{day}" for day in (1, 2, 3))
UNKNOWN = "First run of this design here: no earlier run says how much pairs scatter."
ONE = "Noise: 1 earlier run of this design on this kind of machine."
TWO = "Noise: 2 earlier runs of this design on this kind of machine."


@pytest.fixture(scope="module")
def pairs() -> list[Pair]:
    return [recordings.small_pair(number) for number in (1, 2)]


class Machine:
    """An archive, and runs that are measured there."""

    def __init__(self, folder: Path, pairs: list[Pair], *, store: Path | None = None) -> None:
        self.root = folder / ".pacecar"
        self.said: list[str] = []
        self._pairs = pairs
        self.shared = SharedArchive(url=f"file://{store}") if store else None

    def run(self, run_id: str) -> str:
        """What `compare` does with its pairs. Returns what it says of the noise of earlier runs."""
        config = CHECKOUT / "pacecar.toml"
        manifest = replace(
            recordings.manifest(),
            run_id=run_id,
            state=RunState.OPEN,
            configuration=config.read_text(encoding="utf-8"),
            options=RunOptions(config=str(config)),
        )
        run = RunDirectory.create(self.root, manifest)
        for pair in self._pairs:
            run.write_pair(pair, {})
        run.set_state(RunState.COMPLETE)
        self.design = design_of(judged_experiment(run), run.manifest.machine)
        bring(run, judged_experiment(run), archive=self.root, shared=self.shared, note=self.said.append)
        evaluate(run, note=self.said.append)
        share(run, archive=self.root, shared=self.shared, note=self.said.append)
        return known(run, judged_experiment(run), archive=self.root)

    @property
    def history(self) -> Path:
        return self.root / "history" / self.design


@pytest.fixture
def here(tmp_path: Path, pairs: list[Pair]) -> Machine:
    return Machine(tmp_path / "here", pairs)


def test_it_is_said_how_many_earlier_runs_were_found(here: Machine) -> None:
    assert [here.run(run_id) for run_id in (FIRST, SECOND, THIRD)] == [UNKNOWN, ONE, TWO]


def test_a_run_judged_again_knows_what_it_knew(here: Machine) -> None:
    for run_id in (FIRST, SECOND, THIRD):
        here.run(run_id)
    run = RunDirectory.open(here.root / "runs" / SECOND)
    evaluate(run)
    assert known(run, judged_experiment(run), archive=here.root) == ONE


@pytest.mark.hostile
def test_a_damaged_history_is_a_note_and_no_failure(here: Machine) -> None:
    here.run(FIRST)
    here.run(SECOND)
    (here.history / f"{FIRST}.json").write_bytes((here.history / f"{FIRST}.json").read_bytes()[:100])
    assert here.run(THIRD) == ONE
    assert [line.startswith("left out: ") and f"{FIRST}.json is not JSON" in line for line in here.said] == [True]


@pytest.mark.hostile
def test_a_history_that_is_no_folder_is_a_note_and_no_failure(here: Machine) -> None:
    here.root.mkdir(parents=True)
    (here.root / "history").write_text("mine")
    assert here.run(FIRST) == UNKNOWN
    assert [line.startswith("noise not kept: ") for line in here.said] == [True]
    trim(here.root)
    assert here.run(SECOND) == UNKNOWN
    assert len(recall(here.root, here.design, before=THIRD)) == 1


class TestShared:
    """Machines with one store."""

    @pytest.fixture
    def store(self, tmp_path: Path) -> Path:
        return tmp_path / "store"

    @pytest.fixture
    def here(self, tmp_path: Path, pairs: list[Pair], store: Path) -> Machine:
        return Machine(tmp_path / "here", pairs, store=store)

    @pytest.fixture
    def there(self, tmp_path: Path, pairs: list[Pair], store: Path) -> Machine:
        return Machine(tmp_path / "there", pairs, store=store)

    def test_a_fresh_machine_knows_what_others_of_its_kind_have_seen(self, here: Machine, there: Machine) -> None:
        here.run(FIRST)
        assert there.run(SECOND) == ONE
        assert here.run(THIRD) == TWO
        assert (here.history / f"{SECOND}.json").read_bytes() == (there.history / f"{SECOND}.json").read_bytes()

    def test_who_may_only_read_knows_it_as_well(self, here: Machine, there: Machine, store: Path) -> None:
        here.run(FIRST)
        assert there.shared is not None
        there.shared = replace(there.shared, runs=False)
        assert there.run(SECOND) == ONE
        assert [path.name[: len(FIRST)] for path in store.glob("noise/*/*")] == [FIRST]

    @pytest.mark.hostile
    def test_what_is_damaged_there_is_a_note_and_no_failure(self, here: Machine, there: Machine, store: Path) -> None:
        here.run(FIRST)
        (damaged,) = store.glob("noise/*/*")
        damaged.write_bytes(b"[" * damaged.stat().st_size)
        assert there.run(SECOND) == UNKNOWN
        assert [line for line in there.said if line.startswith("left out: ") and "is damaged" in line]

    @pytest.mark.hostile
    def test_a_store_that_is_down_is_a_note_and_no_failure(self, here: Machine, store: Path) -> None:
        store.write_text("no folder")
        assert here.run(FIRST) == UNKNOWN
        assert any(line.startswith("not stored: ") for line in here.said)
