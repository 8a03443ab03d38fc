"""Configurations of kubectl that are none, and what is said of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pacecar.system.cluster import ClusterError, ClusterUnreachable
from pacecar.system.cluster.connection import Connection
from pacecar.system.cluster.place import Place, label_of

KNOWN: dict[str, Any] = {
    "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:9"}}],
    "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
    "users": [{"name": "u", "user": {"token": "t"}}],
    "current-context": "x",
}


def changed(**changes: Any) -> str:
    return json.dumps({**KNOWN, **changes})


def cluster(**keys: str) -> str:
    return changed(clusters=[{"name": "c", "cluster": {"server": "https://127.0.0.1:9", **keys}}])


def user(**keys: Any) -> str:
    return changed(users=[{"name": "u", "user": keys}])


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "config"))
    return tmp_path / "config"


@pytest.mark.hostile
@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "3",
        "a: [",
        "\xff",
        "a: b",
        changed(clusters=[]),
        changed(clusters=3),
        changed(contexts=[{"name": "x"}]),
        changed(contexts=[{"name": "x", "context": {"cluster": "c"}}]),
        changed(users=[]),
        changed(**{"current-context": "none"}),
        cluster(**{"certificate-authority": "/nowhere"}),
        user(**{"auth-provider": {"name": "gcp"}}),
    ],
    ids=range(14),
)
def test_a_configuration_that_cannot_be_used_is_a_sentence(file: Path, content: str) -> None:
    file.write_bytes(content.encode("latin-1"))
    with pytest.raises(ClusterError) as caught:
        Connection(Place()).pod("a")
    assert str(file) in caught.value.message or "cannot be used" in caught.value.message
    assert "kubectl" in (caught.value.hint or "")


@pytest.mark.parametrize(
    "content",
    [
        changed(),
        cluster(server="no url"),
    ],
    ids=["nobody listens", "no address"],
)
def test_a_cluster_that_is_not_there_is_a_sentence(file: Path, content: str) -> None:
    file.write_text(content)
    connection = Connection(Place())
    with pytest.raises(ClusterUnreachable, match="does not answer"):
        connection.pod("a")
    connection.close()


def test_no_configuration_at_all(file: Path) -> None:
    with pytest.raises(ClusterError, match="cannot be used"):
        Connection(Place())


def test_a_place_comes_back_from_a_ledger(file: Path) -> None:
    file.write_text(changed())
    connection = Connection(Place(namespace="performance"))
    assert connection.place == Place(kubeconfig=file, context="x", namespace="performance")
    assert Place.read(connection.place.written) == connection.place
    assert Place.read(Place().written) == Place()
    connection.close()


def test_a_label_fits_whatever_the_owner_is_called() -> None:
    found = label_of("4481-1795713720-8f2d0a6e-4026531836-machine-with-a-long-name" * 3)
    assert len(found) <= 63
    assert found.isalnum()
    assert found != label_of("another")
