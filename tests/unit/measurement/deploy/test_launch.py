"""What stands in a command when a fork is started."""

from __future__ import annotations

from pathlib import Path

import pytest

from pacecar.measurement.deploy.launch import Placeholders

PLACEHOLDERS = Placeholders(
    artifact=Path("/a.jar"), port=8080, fork=Path("/fork"), java=Path("/java"), others={"store.port": "5432"}
)


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("--db={store.port}", "--db=5432"),
        ("{java} -jar {artifact} {port}", "/java -jar /a.jar 8080"),
        ("--id=${store.port}", "--id=${store.port}"),
        ("${server.port} {other} {}", "${server.port} {other} {}"),
    ],
)
def test_placeholders_are_filled_in_and_the_services_own_stay(text: str, filled: str) -> None:
    assert PLACEHOLDERS.fill(text) == filled
