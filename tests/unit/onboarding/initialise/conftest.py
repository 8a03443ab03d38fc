"""Made-up projects, and what is proposed for them."""

import textwrap

import pytest

from pacecar.inputs import config
from pacecar.onboarding import initialise


@pytest.fixture
def project(tmp_path):
    """Write files below a folder called `shop-service`: path -> content."""
    root = tmp_path / "shop-service"
    root.mkdir()

    def write(files):
        for path, content in files.items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            data = content if isinstance(content, bytes) else textwrap.dedent(content).encode()
            file.write_bytes(data)
        return root

    return write


@pytest.fixture
def proposed(project):
    """Text proposed for a project of these files, and the configuration it loads as."""

    def propose(files):
        root = project(files)
        path = initialise.write(root, force=True)
        return path.read_text(), config.load(path)

    return propose


@pytest.fixture
def pom():
    """A pom.xml with these parts."""

    def text(body="", *, artifact="shop", head=""):
        return (
            f"<?xml version='1.0'?>{head}<project xmlns='http://maven.apache.org/POM/4.0.0'><groupId>org.shop</groupId>"
            f"<artifactId>{artifact}</artifactId><version>1.2</version>{body}</project>"
        )

    return text
