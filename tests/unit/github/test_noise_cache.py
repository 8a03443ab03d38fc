"""Keys of the caches that noise is kept in, held against the way in which GitHub looks for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from pacecar.github.job import job_of
from pacecar.github.noise_cache import NoiseCache, noise_cache

#: What GitHub allows.
LONGEST_KEY = 512


class Caches:
    """Those of a repository: `store` and `find` do what GitHub describes under "Restrictions for accessing a cache"."""

    def __init__(self) -> None:
        self._kept: dict[str, dict[str, str]] = {}

    def store(self, scope: str, key: str, content: str) -> None:
        assert key not in self._kept.get(scope, {}), "a cache is never changed"
        self._kept.setdefault(scope, {})[key] = content

    def find(self, scopes: tuple[str, ...], key: str, restore_keys: tuple[str, ...]) -> str | None:
        for scope in scopes:
            kept = self._kept.get(scope, {})
            if key in kept:
                return kept[key]
            for beginning in restore_keys:
                if found := [name for name in kept if name.startswith(beginning)]:
                    return kept[found[-1]]  # the newest
        return None


@pytest.fixture
def caches() -> Caches:
    return Caches()


class Runs:
    """Jobs of one repository, each with a number of its own."""

    def __init__(self, environ: dict[str, str], caches: Caches) -> None:
        self._environ, self._caches, self._number = environ, caches, 0

    def cache(self, *, ref: str, base: str = "", config: str = "pacecar.toml", name: str = "a.b") -> NoiseCache:
        self._number += 1
        environ = {**self._environ, "GITHUB_REF": ref, "GITHUB_BASE_REF": base, "GITHUB_RUN_ID": str(self._number)}
        return noise_cache(environ, job_of(environ), name=name, config=Path(self._environ["GITHUB_WORKSPACE"]) / config)

    def run(self, ref: str, content: str, *, base: str = "") -> tuple[str | None, str | None]:
        """What a job finds of its branch or base and of its pull request; it then keeps `content`."""
        cache = self.cache(ref=ref, base=base)
        scopes = (ref, *([f"refs/heads/{base}"] if base else []), "refs/heads/main")
        shared = self._caches.find(scopes, cache.key, cache.shared)
        own = self._caches.find(scopes, cache.key, (cache.own,)) if cache.own else None
        self._caches.store(ref, cache.key, content)
        return shared, own


@pytest.fixture
def runs(environ: dict[str, str], caches: Caches) -> Runs:
    return Runs(environ, caches)


MAIN, PULL, OTHER = "refs/heads/main", "refs/pull/7/merge", "refs/pull/8/merge"


def test_a_branch_takes_up_what_it_kept_last(runs: Runs) -> None:
    assert runs.run(MAIN, "one") == (None, None)
    assert runs.run(MAIN, "two") == ("one", None)
    assert runs.run(MAIN, "three") == ("two", None)


def test_a_pull_request_knows_what_main_knows_and_what_it_has_seen_itself(runs: Runs) -> None:
    runs.run(MAIN, "one")
    assert runs.run(PULL, "mine", base="main") == ("one", None)
    runs.run(MAIN, "two")
    assert runs.run(PULL, "mine, too", base="main") == ("two", "mine")


def test_nobody_else_reads_what_a_pull_request_has_kept(runs: Runs) -> None:
    runs.run(MAIN, "one")
    runs.run(PULL, "poison", base="main")
    assert runs.run(OTHER, "two", base="main") == ("one", None)
    assert runs.run(MAIN, "three") == ("one", None)


def test_a_branch_that_has_kept_nothing_begins_with_what_main_knows(runs: Runs) -> None:
    runs.run(MAIN, "one")
    assert runs.run(PULL, "mine", base="release/1.x") == ("one", None)
    assert runs.run("refs/heads/feature", "two") == ("one", None)
    assert runs.run("refs/heads/feature", "three") == ("two", None)


def test_jobs_of_one_run_keep_caches_of_their_own(environ: dict[str, str]) -> None:
    jobs = [{**environ, "GITHUB_RUN_ATTEMPT": attempt} for attempt in ("1", "2")]
    keys = {
        noise_cache(each, job_of(each), name=name, config=Path("pacecar.toml")).key
        for each in jobs
        for name in ("performance.compare", "performance.compare-small")
    }
    assert len(keys) == 4


def test_the_folder_is_named_as_every_job_names_it(runs: Runs, tmp_path: Path) -> None:
    assert runs.cache(ref=MAIN).path == ".pacecar/history"
    assert runs.cache(ref=MAIN, config="services/orders/pacecar.toml").path == "services/orders/.pacecar/history"
    outside = tmp_path.parent / "pacecar.toml"
    assert runs.cache(ref=MAIN, config=str(outside)).path == str(tmp_path.parent / ".pacecar" / "history")


def test_services_of_one_repository_share_nothing(runs: Runs) -> None:
    keys = {runs.cache(ref=MAIN, config=config).shared[1] for config in ("pacecar.toml", "a/pacecar.toml", "a-/b.toml")}
    assert len(keys) == 3


@pytest.mark.hostile
@pytest.mark.parametrize(
    "branch", ["a,b", "a" * 1_000, "..", "x\ny", "a/branch/main/", "\N{SNAIL}", " ", "*", "${{ github.token }}"]
)
def test_a_branch_may_be_called_anything(runs: Runs, branch: str) -> None:
    cache = runs.cache(ref=f"refs/heads/{branch}", name="n" * 60)
    beginning = runs.cache(ref="refs/heads/main").shared[1]
    assert len(cache.key) <= LONGEST_KEY
    assert cache.shared[0].removeprefix(beginning).count("/") == 1
    assert set("\n, *$\\") & set("".join([cache.key, *cache.shared])) == set()
    assert cache.shared[0] != runs.cache(ref=MAIN).shared[0]


@pytest.mark.hostile
def test_no_branch_is_taken_for_a_pull_request(runs: Runs) -> None:
    assert runs.cache(ref="refs/heads/refs/pull/7/merge").own == ""
    assert runs.cache(ref="refs/heads/pull/7/merge").own == ""
    assert runs.cache(ref=PULL, base="main").own.endswith("/pull/7/")


def test_the_outputs_are_those_that_the_action_asks_for(runs: Runs) -> None:
    outputs = runs.cache(ref=PULL, base="main").outputs()
    assert sorted(outputs) == ["history-key", "history-own", "history-path", "history-shared"]
    assert len(outputs["history-shared"].splitlines()) == 2
