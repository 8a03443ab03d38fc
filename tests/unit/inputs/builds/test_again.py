"""What makes the build of a recording again, on the machine that recorded it and on another."""

from __future__ import annotations

import subprocess
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pacecar.inputs.builds import BuildError, again, store
from pacecar.inputs.builds.artifact import Artifact, make
from pacecar.inputs.builds.request import parse_build
from pacecar.model.experiment import SourceTree
from pacecar.model.recording import BuiltSide
from pacecar.model.stored_builds import Origin, StoredBuild
from pacecar.system.resources import Resources

Git = Callable[..., str]

PATCH = """\
--- a/src/a.txt
+++ b/src/a.txt
@@ -1,3 +1,3 @@
 one
-two
+TWO
 three
"""


@pytest.fixture
def remake(tmp_path: Path, resources: Resources) -> Callable[..., tuple[StoredBuild, Artifact, Artifact]]:
    """A build, what was stored of it, and the same build made from that in another clone with an empty cache."""

    def go(
        text: str, source: SourceTree, clone: SourceTree, monkeypatch: pytest.MonkeyPatch, *, artifact: bool = False
    ) -> tuple[StoredBuild, Artifact, Artifact]:
        request = replace(parse_build(text, source=source, cwd=source.root), jvm_args=("-Xint",))
        made = make(request, source=source, resources=resources, log_dir=tmp_path / "logs")
        kept = again.stored(made.built, source=source, artifact=artifact)
        file = again.content(kept, made.built, resources=resources)
        monkeypatch.setenv("PACECAR_CACHE", str(tmp_path / "other-cache"))
        remade = again.request(kept, file=file, branch="main", source=clone)
        return kept, made, make(remade, source=clone, resources=resources, log_dir=tmp_path / "logs")

    return go


@pytest.fixture
def clone(repository: Path, tmp_path: Path, source: SourceTree) -> SourceTree:
    """Another machine's clone, which has moved on."""
    subprocess.run(["git", "clone", "-q", repository, tmp_path / "clone"], check=True)
    (tmp_path / "clone" / "orders" / "src" / "a.txt").write_text("one\nsomething else\n")
    return replace(source, root=tmp_path / "clone" / "orders")


def text_of(artifact: Artifact) -> str:
    assert artifact.path is not None
    with zipfile.ZipFile(artifact.path) as jar:
        return jar.read("src/a.txt").decode()


@pytest.mark.parametrize("text", ["v1", "."])
def test_a_ref_or_an_unchanged_tree_is_its_commit(
    text: str, remake, source: SourceTree, clone: SourceTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, made, remade = remake(text, source, clone, monkeypatch)
    assert (kept.origin, kept.file_name, len(kept.commit)) == (Origin.COMMIT, None, 40)
    assert remade.sha256 == made.sha256
    assert (remade.built.label, remade.built.jvm_args) == ("main", ("-Xint",))


def test_a_patch_is_applied_to_the_commit_it_was_recorded_on(
    remake, source: SourceTree, clone: SourceTree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "loud.patch").write_text(PATCH)
    kept, made, remade = remake(f"patch:{tmp_path}/loud.patch", source, clone, monkeypatch)
    assert kept.origin is Origin.PATCH
    assert text_of(remade) == text_of(made) == "one\nTWO\nthree\n"
    assert remade.sha256 == made.sha256


def test_changes_that_were_not_committed_are_only_in_the_artifact(
    remake, source: SourceTree, clone: SourceTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    (source.root / "src" / "a.txt").write_text("not committed\n")
    kept, made, remade = remake(".", source, clone, monkeypatch)
    assert (kept.origin, kept.sha256) == (Origin.ARTIFACT, made.sha256)
    assert (remade.sha256, text_of(remade)) == (made.sha256, "not committed\n")


def test_a_jar_and_a_source_outside_git_are_their_artifact(
    remake, source: SourceTree, jar: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for text in (f"jar:{jar}", "."):
        kept, made, remade = remake(text, source, source, monkeypatch)
        assert kept.origin is Origin.ARTIFACT
        assert remade.sha256 == made.sha256


def test_a_war_stays_one(remake, source: SourceTree, jar: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    war = jar.rename(jar.with_suffix(".war"))
    kept, made, remade = remake(f"jar:{war}", source, source, monkeypatch)
    assert (kept.file_name, remade.sha256) == ("orders.war", made.sha256)


def test_the_artifact_when_it_is_asked_for(
    remake, source: SourceTree, clone: SourceTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, made, remade = remake("v1", source, clone, monkeypatch, artifact=True)
    assert (kept.origin, remade.sha256) == (Origin.ARTIFACT, made.sha256)


def test_an_artifact_that_was_evicted(source: SourceTree, project: Path, resources: Resources, tmp_path: Path) -> None:
    request = parse_build(".", source=source, cwd=project)
    with Resources() as own:
        made = make(request, source=source, resources=own, log_dir=tmp_path)
    store.evict(0)
    with pytest.raises(BuildError, match="artifact of working tree is no longer in the cache"):
        again.content(again.stored(made.built, source=source, artifact=False), made.built, resources=resources)


@pytest.mark.parametrize(
    ("commit", "message"),
    [
        ("--upload-pack=touch x", "is no commit"),
        ("main", "is no commit"),
        ("a" * 40, "which this clone does not have"),
    ],
)
@pytest.mark.parametrize("origin", [Origin.COMMIT, Origin.PATCH])
def test_a_commit_that_cannot_be_built_here(
    origin: Origin, commit: str, message: str, source: SourceTree, repository: Path
) -> None:
    build = StoredBuild(origin=origin, label="x", commit=commit)
    with pytest.raises(BuildError, match=message):
        again.request(build, file=None, branch="main", source=source)


def test_a_commit_without_a_repository(source: SourceTree, project: Path) -> None:
    build = StoredBuild(origin=Origin.COMMIT, label="x", commit="a" * 40)
    with pytest.raises(BuildError, match="is not in a git repository") as caught:
        again.request(build, file=None, branch="main", source=source)
    assert "--artifact" in str(caught.value.hint)
    with pytest.raises(BuildError, match="no source is configured"):
        again.request(build, file=None, branch="main", source=None)


def test_a_long_patch_is_only_in_the_artifact(source: SourceTree, repository: Path, git: Git) -> None:
    commit = git(repository, "rev-parse", "HEAD")
    built = BuiltSide(
        label="x", kind="patch", value="x.patch", commit=commit, artifact_sha256="0" * 64, patch="+" * 262_144
    )
    assert again.stored(built, source=source, artifact=False).origin is Origin.ARTIFACT
    short = replace(built, patch="+x")
    assert again.stored(short, source=source, artifact=False).origin is Origin.PATCH
