"""What a build may be, or leave: a jar, a jar with its libraries beside it, a folder."""

from __future__ import annotations

import hashlib
import os
import sys
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pacecar.inputs.builds import BuildError, store
from pacecar.inputs.builds.artifact import Artifact
from pacecar.inputs.builds.difference import changed_classes
from pacecar.model.experiment import BuildKind, SourceTree

Make = Callable[..., Artifact]


def manifest(**attributes: str) -> str:
    """A manifest with lines folded after 72 bytes, as jars have it."""
    lines = ["Manifest-Version: 1.0", *(f"{name.replace('_', '-')}: {value}" for name, value in attributes.items())]
    folded = ["\r\n ".join(line[n : n + 70] for n in range(0, len(line), 70)) for line in lines]
    return "\r\n".join(folded) + "\r\n\r\n"


def made(path: Path, files: dict[str, str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as jar:
        for name, text in files.items():
            jar.writestr(zipfile.ZipInfo(name), text)
    return path


class TestJar:
    """A jar the user has built."""

    def test_is_copied_so_that_a_rebuild_does_not_change_it(self, build: Make, jar: Path) -> None:
        artifact = build(BuildKind.JAR, jar)
        content = jar.read_bytes()
        jar.write_bytes(b"rebuilt")
        assert artifact.path.read_bytes() == content
        assert artifact.path.name == "orders.jar"
        assert artifact.built.artifact_sha256 == artifact.sha256 == hashlib.sha256(content).hexdigest()

    @pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04" + b"\0" * 40, b"PK\x05\x06" + b"\0" * 18])
    def test_that_is_none(self, build: Make, jar: Path, content: bytes) -> None:
        jar.write_bytes(content)
        with pytest.raises(BuildError, match=r"orders\.jar is not a jar"):
            build(BuildKind.JAR, jar)

    def test_that_is_cut_short(self, build: Make, jar: Path) -> None:
        os.truncate(jar, jar.stat().st_size - 10)
        with pytest.raises(BuildError, match=r"orders\.jar is not a jar"):
            build(BuildKind.JAR, jar)

    def test_that_is_gone(self, build: Make, tmp_path: Path) -> None:
        with pytest.raises(BuildError, match=r"gone\.jar cannot be read: No such file or directory"):
            build(BuildKind.JAR, tmp_path / "gone.jar")


class TestWar:
    """A build may leave a war, as Spring Boot's plugin does; its launcher tells it by its name."""

    @pytest.fixture
    def of(self, source: SourceTree) -> SourceTree:
        script = (
            "exec(open('build.py').read()); import shutil\n"
            "for name in ('orders-1.0', 'orders-1.0-plain'): shutil.copy('target/orders-1.0.jar', f'target/{name}.war')"
        )
        return replace(source, command=(sys.executable, "-c", script), artifact="target/orders-*.war")

    def test_is_kept_and_found_again(self, build: Make, of: SourceTree) -> None:
        first, second = build(BuildKind.TREE, of.root, of=of), build(BuildKind.TREE, of.root, of=of)
        assert first.path.name == "orders-1.0.war"
        assert (second.path, second.cached, second.sha256) == (first.path, True, first.sha256)

    def test_is_told_where_another_was_expected(self, build: Make, of: SourceTree) -> None:
        with pytest.raises(BuildError) as caught:
            build(BuildKind.TREE, of.root, of=replace(of, artifact="target/app.war"))
        assert "target/orders-1.0.war" in str(caught.value.hint)


class TestFolder:
    """A build may leave a folder, as Quarkus and Gradle's installDist do."""

    @pytest.fixture
    def of(self, source: SourceTree) -> SourceTree:
        script = (
            "import pathlib, shutil; app = pathlib.Path('target/app/lib'); app.mkdir(parents=True); "
            "shutil.copy('src/a.txt', app); (app / 'link.txt').symlink_to('a.txt'); "
            "(app.parent / 'same').symlink_to('lib')"
        )
        return replace(source, command=(sys.executable, "-c", script), artifact="target/app")

    def test_is_kept_whole_and_found_again(self, build: Make, of: SourceTree) -> None:
        first, second = build(BuildKind.TREE, of.root, of=of), build(BuildKind.TREE, of.root, of=of)
        assert first.path is not None
        assert first.path.name == "app"
        assert (first.path / "lib" / "link.txt").read_text() == "one\ntwo\nthree\n"
        assert (second.path, second.cached, second.sha256) == (first.path, True, first.sha256)

    def test_with_a_pipe_is_refused_by_its_name(self, build: Make, tmp_path: Path) -> None:
        (tmp_path / "app").mkdir()
        os.mkfifo(tmp_path / "app" / "pipe")
        with pytest.raises(BuildError, match="app/pipe` is a named pipe"):
            build(BuildKind.JAR, tmp_path / "app")

    def test_stale_ones_do_not_count(self, build: Make, of: SourceTree) -> None:
        stale = replace(of, root=of.root, artifact="kept/app", command=(sys.executable, "-c", "pass"))
        (of.root / "kept" / "app").mkdir(parents=True)
        (of.root / "kept" / "app" / "old.txt").write_text("old")
        with pytest.raises(BuildError, match="left no 'kept/app'"):
            build(BuildKind.TREE, of.root, of=stale)

    def test_its_digest_is_that_of_all_it_holds(self, build: Make, of: SourceTree) -> None:
        first = build(BuildKind.TREE, of.root, of=of)
        (of.root / "src" / "a.txt").write_text("changed")
        second = build(BuildKind.TREE, of.root, of=of)
        assert first.sha256 != second.sha256
        assert first.path is not None
        assert (first.path / "lib" / "a.txt").read_text() == "one\ntwo\nthree\n"

    @pytest.mark.parametrize("artifact", ["", ".", "..", "/tmp"])
    def test_the_source_itself_is_none(self, build: Make, of: SourceTree, artifact: str) -> None:
        with pytest.raises(BuildError, match="is not a path below the source's root"):
            build(BuildKind.TREE, of.root, of=replace(of, artifact=artifact))


class TestLibraries:
    """What a jar's manifest names lies beside it when it is started."""

    @pytest.fixture
    def thin(self, tmp_path: Path) -> Path:
        names = ["libs/" + "x" * 60 + f"-{n}.jar" for n in range(3)]
        for name in names:
            made(tmp_path / "target" / name, {"A.class": name})
        made(tmp_path / "outside.jar", {"A.class": ""})
        path = " ".join([*names, "libs/gone.jar", "../outside.jar", "file:/etc/passwd", "/etc/passwd"])
        files = {"META-INF/MANIFEST.MF": manifest(Main_Class="shop.Main", Class_Path=path)}
        return made(tmp_path / "target" / "orders.jar", files)

    def test_are_kept_beside_it(self, build: Make, thin: Path) -> None:
        artifact = build(BuildKind.JAR, thin)
        assert artifact.path.name == "orders.jar"
        kept = {str(path.relative_to(artifact.path.parent)) for path in artifact.path.parent.rglob("*.jar")}
        assert kept == {"orders.jar", *("libs/" + "x" * 60 + f"-{n}.jar" for n in range(3))}

    def test_what_is_no_jar_is_none(self, build: Make, thin: Path) -> None:
        (thin.parent / ".git").mkdir()
        (thin.parent / ".git" / "config").write_text("token")
        os.mkfifo(thin.parent / "pipe")
        made(thin, {"META-INF/MANIFEST.MF": manifest(Class_Path=".git/config libs pipe libs/a.jar")})
        made(thin.parent / "libs" / "a.jar", {"A.class": ""})
        folder = build(BuildKind.JAR, thin).path.parent
        assert sorted(path.name for path in folder.rglob("*") if path.is_file()) == ["a.jar", "orders.jar"]

    def test_a_link_is_as_large_as_what_it_leads_to(
        self, build: Make, thin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        made(tmp_path / "large.jar", {"A.class": "x" * 100_000})
        (thin.parent / "libs" / "gone.jar").symlink_to(tmp_path / "large.jar")
        monkeypatch.setattr(store, "_MAX_BYTES", 50_000)
        with pytest.raises(BuildError, match="too large to keep"):
            build(BuildKind.JAR, thin)

    def test_one_that_was_built_again_is_another_artifact(self, build: Make, thin: Path) -> None:
        first = build(BuildKind.JAR, thin)
        made(next((thin.parent / "libs").glob("*-1.jar")), {"A.class": "changed"})
        second = build(BuildKind.JAR, thin)
        assert first.sha256 != second.sha256
        assert first.path != second.path
        assert first.path is not None
        assert second.path is not None
        assert changed_classes(first.path, second.path) == ("A",)

    def test_one_in_the_same_folder_is_not_taken_for_the_program(
        self, build: Make, source: SourceTree, project: Path
    ) -> None:
        made(project / "jars" / "a.jar", {"META-INF/MANIFEST.MF": manifest(Class_Path="orders.jar")})
        made(project / "jars" / "orders.jar", {"META-INF/MANIFEST.MF": manifest(Class_Path="a.jar")})
        script = "import shutil; shutil.copytree('jars', 'target')"
        of = replace(source, command=(sys.executable, "-c", script), artifact="target/orders.jar")
        first, second = build(BuildKind.TREE, project, of=of), build(BuildKind.TREE, project, of=of)
        assert second.cached
        assert first.path == second.path
        assert first.path.name == "orders.jar"

    def test_none_changes_nothing(self, build: Make, jar: Path) -> None:
        assert build(BuildKind.JAR, jar).sha256 == hashlib.sha256(jar.read_bytes()).hexdigest()


def test_of_several_jars_the_one_that_starts_is_taken(build: Make, source: SourceTree, project: Path) -> None:
    made(project / "jars" / "shop-1.jar", {"A.class": ""})
    made(project / "jars" / "shop-1-exec.jar", {"META-INF/MANIFEST.MF": manifest(Main_Class="shop.Main")})
    script = "import shutil; shutil.copytree('jars', 'target')"
    of = replace(source, command=(sys.executable, "-c", script), artifact="target/shop-*.jar")
    assert build(BuildKind.TREE, project, of=of).path.name == "shop-1-exec.jar"
    made(project / "jars" / "shop-2-exec.jar", {"META-INF/MANIFEST.MF": manifest(Main_Class="shop.Main")})
    with pytest.raises(BuildError, match="left 2 files") as caught:
        build(BuildKind.TREE, project, of=of)
    assert "source.artifact" in str(caught.value.hint)
