"""The compose file at the top level is one that Compose accepts."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.skipif(shutil.which("docker-compose") is None, reason="no docker-compose; apt-get install docker-compose")
def test_compose_accepts_the_file() -> None:
    checked = subprocess.run(
        ["docker-compose", "-f", str(ROOT / "docker-compose.yml"), "config"], capture_output=True, text=True, timeout=60
    )
    assert checked.returncode == 0, checked.stderr
    for service in ("orders", "postgres", "pyroscope", "prometheus"):
        assert f"{service}:" in checked.stdout


def test_every_port_is_published_on_loopback_only() -> None:
    ports = [
        line.strip()
        for line in (ROOT / "docker-compose.yml").read_text().splitlines()
        if ':8080"' in line or ':4040"' in line or ':9090"' in line
    ]
    assert len(ports) == 3
    assert all(port.startswith('- "127.0.0.1:') for port in ports)
