"""A setting of the JVM that differs between the builds. It says where a change may come from, never that it does."""

from __future__ import annotations

from collections.abc import Iterator

from pacecar.analysis.causes.kind import CauseKind, Claim, Layer
from pacecar.analysis.quantities.measured import Quantities
from pacecar.analysis.quantities.settings import Setting, settings_changed
from pacecar.model.causes import Scope
from pacecar.model.comparison import Judgement

#: Beginnings of the names of HotSpot's flags -> what they move, in the words that kinds of causes share.
_MOVES = (
    (("MaxHeap", "InitialHeap", "MinHeap", "MaxRAM", "MaxNew", "NewSize", "NewRatio", "SurvivorRatio"), "heap"),
    (("SoftMaxHeap", "ZGC", "G1", "Shenandoah", "ConcGC", "ParallelGC", "MaxGCPause", "GCTime"), "heap"),
    (("UseSerialGC", "UseParallelGC", "UseG1GC", "UseZGC", "UseShenandoahGC", "UseEpsilonGC"), "heap"),
    (("ActiveProcessorCount",), "cores"),
    (("Tiered", "CICompiler", "ReservedCodeCache", "NonNMethod", "Inline", "MaxInline", "Compile"), "compiling"),
)


def _claims(judgement: Judgement, quantities: Quantities) -> Iterator[Claim]:  # noqa: ARG001  they know no metric
    for setting in settings_changed(quantities):
        moves = frozenset(word for beginnings, word in _MOVES if setting.name.startswith(beginnings))
        if moves:
            yield Claim(
                statement=f"{setting.name} differs between the builds: {_told(setting)}.",
                scope=Scope(),
                facts=(),
                alone=False,
                moves=moves,
            )


def _told(setting: Setting) -> str:
    before, after = (value or "not set" for value in (setting.baseline, setting.candidate))
    return f"{before} before, {after} now"


KIND = CauseKind(
    name="changed-setting",
    title="Changed setting",
    layer=Layer.DEMAND,
    explains=lambda judgement: judgement.estimate is not None,
    needs=(),
    claims=_claims,
)
