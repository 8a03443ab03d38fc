"""What a compose file that was read says of its services."""

from __future__ import annotations

from pathlib import Path

import pytest

from pacecar.system.engine.compose import ComposeFileError, Resolved


@pytest.mark.parametrize(
    ("services", "hint"),
    [
        ({"web": {}, "db": {}}, "Set target.compose.service to one of: db, web"),
        ({}, "It has no service at all: name another file in target.compose.file."),
    ],
    ids=["others", "none"],
)
def test_a_service_that_is_not_there_comes_with_what_to_do(services: dict[str, dict[str, object]], hint: str) -> None:
    with pytest.raises(ComposeFileError, match="has no service 'orders'") as caught:
        Resolved(file=Path("docker-compose.yml"), services=services).service("orders")
    assert caught.value.hint == hint
