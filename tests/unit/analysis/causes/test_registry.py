"""A kind of cause is one file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pacecar.analysis.causes import kinds
from pacecar.analysis.causes.registry import all_kinds
from pacecar.analysis.criteria import Criteria
from pacecar.analysis.paired import compare_pairs
from pacecar.reporting.document.build import build_document
from pacecar.reporting.terminal import summary
from support.documents import run

MOON = """
from pacecar.analysis.causes.kind import CauseKind, Claim, Layer
from pacecar.model.causes import Scope


def _claims(judgement, quantities):
    each = quantities.change("cpu", "")
    yield Claim(statement="The moon is full.", scope=Scope(pool="main"), facts=(), each=each, of="cpu")


KIND = CauseKind(
    name="moon",
    title="Phase of the moon",
    layer=Layer.DEMAND,
    explains=lambda judgement: judgement.metric.name == "cpu",
    needs=(),
    claims=_claims,
)
"""


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
