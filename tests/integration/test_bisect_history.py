"""The search over histories with merges that real git holds: its order, its answers, and the same end."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from pacecar.analysis.bisect import next_commit, suspects
from pacecar.inputs.builds.commits import History
from pacecar.inputs.builds.git import Repository
from support.histories import Drawn, histories


def _imported(drawn: Drawn, top: Path) -> list[str]:
    """The history in a new repository; full hashes by number."""
    subprocess.run(["git", "init", "-q", "--bare", str(top)], check=True)
    stream = []
    for number, parents in enumerate(drawn.parents):
        stream += [f"commit refs/commits/{number}", f"mark :{number + 1}", f"committer t <t@localhost> {number} +0000"]
        stream += ["data 1", "m", *(f"from :{parent + 1}" for parent in parents[:1])]
        stream += [f"merge :{parent + 1}" for parent in parents[1:]]
        stream += [f"M 100644 inline f{number}", "data 1", "x", ""]
    subprocess.run(["git", "-C", str(top), "fast-import", "--quiet"], input="\n".join(stream).encode(), check=True)
    names = [f"refs/commits/{number}" for number in range(len(drawn.parents))]
    answer = subprocess.run(["git", "-C", str(top), "rev-parse", *names], check=True, capture_output=True, text=True)
    return answer.stdout.split()


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(drawn=histories(most=20))
def test_git_finds_what_the_history_holds(drawn: Drawn, tmp_path_factory: pytest.TempPathFactory) -> None:
    top = tmp_path_factory.mktemp("history")
    commits = _imported(drawn, top)
    number = {commit: place for place, commit in enumerate(commits)}
    history = History(repository=Repository(top=top))
    goods, bad = {commits[0]}, commits[-1]
    lost: set[str] = set()
    while True:
        found = history.candidates(sorted(goods), bad)
        expected = drawn.candidates({number[good] for good in goods}, number[bad])
        assert {number[each.commit]: each.distance for each in found} == {
            int(each.commit): each.distance for each in expected
        }
        assert [each.distance for each in found] == [each.distance for each in expected]
        commit = next_commit(found, bad=bad, skipped=lost)
        if commit is None:
            break
        if number[commit] in drawn.skipped:
            lost.add(commit)
        elif drawn.is_bad(number[commit]):
            bad = commit
        else:
            goods.add(commit)
    left = {number[each] for each in suspects(found, bad=bad, skipped=lost)}
    assert drawn.culprit in left
    assert drawn.skipped or left == {drawn.culprit}
