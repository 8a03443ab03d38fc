"""Two tiers of one comparison in a job: what later steps are told of both, and what the artifact holds.

Everything is told twice: once the quick tier has answered, and once the full one has. So a job that is ended in between
leaves the quick answer where it would have left both.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pacecar.github.artifact import FAILURE_NAME, TIERS, WHY_NAME
from pacecar.model.tiers import Tier
from pacecar.reporting.document.files import DOCUMENT_NAME
from pacecar.reporting.tiers import Tiers
from pacecar.workflow.publishing import REPORT_NAME

#: Why there is no full tier, as long as it runs.
NOT_ENDED = "It did not finish."


@dataclass(frozen=True, kw_only=True)
class Room:
    """Where a job keeps what it tells of both tiers.

    Attributes:
        artifact: the folder that an artifact is made of.
        reports: the folder of their HTML reports.
        name: of the comparison.
    """

    artifact: Path
    reports: Path
    name: str

    @classmethod
    def below(cls, temporary: Path, *, name: str) -> Room:
        """New folders below `temporary`."""
        artifact, reports = (Path(tempfile.mkdtemp(prefix="pacecar-", dir=temporary)) for _ in range(2))
        return cls(artifact=artifact, reports=reports, name=name)

    def hand_on(self, tiers: Tiers, runs: Mapping[Tier, Path]) -> None:
        """Let the artifact hold what there is of `tiers`, from the folders of their runs, and nothing older."""
        folder = self.artifact / self.name / TIERS
        folder.mkdir(parents=True, exist_ok=True)
        (folder / WHY_NAME).write_text(tiers.why or "", encoding="utf-8")
        (folder / Tier.FULL / FAILURE_NAME).unlink(missing_ok=True)
        for tier, run in runs.items():
            (folder / tier).mkdir(exist_ok=True)
            shutil.copyfile(run / DOCUMENT_NAME, folder / tier / DOCUMENT_NAME)
        if tiers.failure:
            (folder / Tier.FULL).mkdir(exist_ok=True)
            (folder / Tier.FULL / FAILURE_NAME).write_text(tiers.failure, encoding="utf-8", errors="replace")

    def outputs_of(self, tiers: Tiers, runs: Mapping[Tier, Path]) -> dict[str, str]:
        """The outputs of both tiers together; the document is that of the tier which decided."""
        return {
            "verdict": tiers.verdict.value,
            "tier": tiers.decided.value,
            "regressions": str(len(tiers.regressions)),
            "report-path": str(self._report(runs)),
            "document-path": str((runs[tiers.decided] / DOCUMENT_NAME).resolve()),
            "artifact-path": str(self.artifact),
        }

    def _report(self, runs: Mapping[Tier, Path]) -> Path:
        """The report of the only tier, or the folder of both."""
        if len(runs) == 1:
            return (next(iter(runs.values())) / REPORT_NAME).resolve()
        for tier, run in runs.items():
            shutil.copyfile(run / REPORT_NAME, self.reports / f"{tier.value}.html")
        return self.reports
