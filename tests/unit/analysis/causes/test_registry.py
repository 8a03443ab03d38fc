"""A kind of cause is one file."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pacecar.analysis.causes import kinds
from pacecar.analysis.causes.finder import CauseFinder
from pacecar.analysis.causes.kind import CauseKind, Claim
from pacecar.analysis.causes.registry import all_kinds
from pacecar.analysis.criteria import Criteria
from pacecar.analysis.paired import compare_pairs
from pacecar.model.comparison import CauseScope, Estimate, Judgement, Metric, Role, Verdict
from pacecar.reporting.document.build import build_document
from pacecar.reporting.terminal import summary
from support.documents import run

MOON = """
from pacecar.analysis.causes.kind import CauseKind, Claim
from pacecar.model.comparison import CauseScope


def _claims(judgement, evidence):
    if judgement.metric.name == "cpu":
        yield Claim(statement="The moon is full.", scope=CauseScope(pool="main"), amounts=(), weight=1e9)


KIND = CauseKind(name="moon", title="Phase of the moon", claims=_claims)
"""

REGRESSED = Judgement(
    metric=Metric(name="cpu"),
    verdict=Verdict.REGRESSED,
    reason="",
    role=Role.GUARANTEED,
    budget=None,
    estimate=Estimate(
        pairs=4,
        baseline=1.0,
        candidate=2.0,
        change=1.0,
        low=0.9,
        high=1.1,
        per_pair=(1.0,),
        p_value=0.001,
        smallest_visible=0.1,
    ),
)


def _kind(name: str, *weights: float) -> CauseKind:
    claims = [Claim(statement=f"{name} {weight}", scope=CauseScope(), amounts=(), weight=weight) for weight in weights]
    return CauseKind(name=name, title=name, claims=lambda _judgement, _evidence: claims)


def _said(given: tuple[CauseKind, ...]) -> list[str]:
    finder = CauseFinder(baseline=(), candidate=(), frames=(), kinds=given)
    return [cause.statement for cause in finder.causes(REGRESSED)]


@pytest.fixture
def lay_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, str], None]]:
    """Lays a module beside the kinds there are, for one test."""
    monkeypatch.setattr(kinds, "__path__", [*kinds.__path__, str(tmp_path)])

    def lay(name: str, text: str) -> None:
        (tmp_path / f"{name}.py").write_text(text)

    yield lay
    for path in tmp_path.glob("*.py"):
        sys.modules.pop(f"{kinds.__name__}.{path.stem}", None)


def test_every_file_of_the_folder_is_a_kind() -> None:
    (folder,) = map(Path, kinds.__path__)
    files = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    names = [kind.name for kind in all_kinds()]
    assert len(files) >= 3
    assert names == sorted({name.replace("_", "-") for name in files}), "one kind a file, and called like it"


def test_a_file_is_all_that_a_new_kind_costs(make_pairs, truth, lay_kind) -> None:
    pairs = make_pairs(candidate=truth(cpu_ms=1.5))
    criteria = Criteria(gate=("cpu",))
    assert compare_pairs(pairs, criteria).findings[0].causes == ()

    lay_kind("moon", MOON)

    comparison = compare_pairs(pairs, criteria)
    (cause,) = comparison.findings[0].causes
    assert (cause.name, cause.title, cause.scope.pool) == ("moon", "Phase of the moon", "main")
    document = build_document(comparison, run().manifest, None, ())
    assert "Likely cause: The moon is full." in summary(document, colour=False)


def test_a_file_that_is_no_kind_is_not_passed_over(lay_kind) -> None:
    lay_kind("nothing", "")
    with pytest.raises(AttributeError, match="KIND"):
        all_kinds()


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ({"a": (1.0,), "b": (2.0,), "c": (0.5,)}, "b 2.0"),
        ({"a": (1.0,), "b": (1.0,), "c": (1.0,)}, "a 1.0"),  # of equals the first by name
        ({"a": (0.1, 3.0), "b": (2.0, 2.5), "c": ()}, "a 3.0"),
    ],
)
def test_the_order_of_kinds_decides_nothing(weights: dict[str, tuple[float, ...]], said: str) -> None:
    given = [_kind(name, *each) for name, each in weights.items()]
    assert {tuple(_said(order)) for order in itertools.permutations(given)} == {(said,)}


def test_without_a_claim_there_is_no_cause() -> None:
    assert _said((_kind("a"), _kind("b"))) == []
