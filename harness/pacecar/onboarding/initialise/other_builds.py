"""Build tools that are known by their files alone: their names, and how each is asked for something that runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pacecar.onboarding.initialise import files


@dataclass(frozen=True, kw_only=True)
class OtherBuild:
    """A build that is not read.

    Attributes:
        tool: its name.
        file: by which it was found.
        command: how it is usually asked for something to run.
        artifact: what that usually leaves.
    """

    tool: str
    file: str
    command: tuple[str, ...]
    artifact: str

    @property
    def remark(self) -> str:
        """What is said of it."""
        return (
            f"it is built by {self.tool} ({self.file}), which init cannot read: [source] below is how such a build "
            "usually goes; write that, target.command, target.ready and the endpoints yourself"
        )


_SBT = OtherBuild(
    tool="sbt",
    file="build.sbt",
    command=("sbt", "-batch", "assembly"),
    artifact="target/scala-VERSION/*-assembly-*.jar",
)
#: What lays a service and its libraries out in a folder; Play brings it along.
_STAGING = ("sbt-native-packager", "JavaAppPackaging", "JavaServerAppPackaging", "PlayScala", "PlayJava", "PlayService")
_STAGED = OtherBuild(
    tool="sbt", file="build.sbt", command=("sbt", "-batch", "stage"), artifact="target/universal/stage"
)
_OTHERS = (
    OtherBuild(
        tool="Leiningen", file="project.clj", command=("lein", "uberjar"), artifact="target/uberjar/*-standalone.jar"
    ),
    OtherBuild(
        tool="the Clojure CLI", file="deps.edn", command=("clojure", "-T:build", "uber"), artifact="target/*.jar"
    ),
    OtherBuild(
        tool="Mill", file="build.mill", command=("./mill", "app.assembly"), artifact="out/app/assembly.dest/out.jar"
    ),
    OtherBuild(
        tool="Mill", file="build.sc", command=("./mill", "app.assembly"), artifact="out/app/assembly.dest/out.jar"
    ),
    OtherBuild(
        tool="Bazel",
        file="MODULE.bazel",
        command=("bazel", "build", "//app:app_deploy.jar"),
        artifact="bazel-bin/app/app_deploy.jar",
    ),
    OtherBuild(
        tool="Bazel",
        file="WORKSPACE",
        command=("bazel", "build", "//app:app_deploy.jar"),
        artifact="bazel-bin/app/app_deploy.jar",
    ),
    OtherBuild(tool="Ant", file="build.xml", command=("ant", "jar"), artifact="dist/*.jar"),
)


def other_build(directory: Path) -> OtherBuild | None:
    """The build in a directory that is neither Maven's nor Gradle's; None where there is none that is known."""
    if (directory / _SBT.file).is_file():
        scripts = (files.text(directory / name) for name in (_SBT.file, "project/plugins.sbt"))
        return _STAGED if any(word in script for script in scripts for word in _STAGING) else _SBT
    return next((each for each in _OTHERS if (directory / each.file).is_file()), None)
