"""What an artifact of several services holds."""

from __future__ import annotations

from pathlib import Path

from pacecar.errors import UsageError
from pacecar.github.artifact import received
from pacecar.github.joint import hand_on_all
from pacecar.workflow.affected import ConfiguredService, ServiceOutcome


def test_a_service_whose_folder_is_no_text(tmp_path: Path) -> None:
    service = ConfiguredService(name="services/caf\udce9", config=tmp_path / "pacecar.toml")
    failed = ServiceOutcome(service=service, failure=UsageError("services/caf\udce9/pom.xml is broken."))
    (found,) = received(hand_on_all([failed], name="all", temporary=tmp_path))
    told = found.rendered(limit=10_000, report_url="https://github.example/a/b/actions/runs/1")
    assert "services/caf?/pom.xml is broken" in told
