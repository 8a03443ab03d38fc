"""The JVM that Gatling runs in: the same for every run, quiet, and silent towards the network."""

from __future__ import annotations

from pathlib import Path

#: Files and folders of a run, below its own folder.
GC_LOG = "generator-gc.log"
RESULTS = "gatling"
_PREFERENCES = "preferences"
#: When the log is full it is put aside as `generator-gc.log.0` and so on, and the oldest makes room.
_GC_LOG_CAP = "filecount=3,filesize=32M"

# Virtual users die young. In a young generation of 384 MB, 200 requests per second (about 3.5 MB of garbage per
# second) need a collection every hundred seconds. Parallel: it has no concurrent threads that would compete with
# the event loop for the generator's one core. Metaspace: its default threshold is passed while Gatling starts
# and would cost a full collection in the warm-up.
_MEMORY = (
    "-XX:+UseParallelGC",
    "-XX:MetaspaceSize=128m",
    "-XX:+AlwaysPreTouch",
)

# The node in which Gatling remembers its last look for a newer version. A look long after today is never due
# again, so the look, which would leave this machine, is not taken; there is no switch for it.
_NEVER_LOOK = """<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<!DOCTYPE map SYSTEM "http://java.sun.com/dtd/preferences.dtd">
<map MAP_XML_VERSION="1.0">
  <entry key="lastCheckTimestamp" value="9000000000000000"/>
  <entry key="lastCheckSuccess" value="false"/>
</map>
"""


#: Share of the heap for what is young; what feeders hold is old.
_YOUNG = 0.75
_MIB = 1 << 20


def options(folder: Path, *, logback: Path, heap_bytes: int, temporary: Path) -> list[str]:
    """Options of the JVM for a run in `folder` with the logging configuration `logback` and a heap of that size.

    Native libraries are unpacked into the folder `temporary`. A JVM that is killed leaves them there.
    """
    heap, young = heap_bytes // _MIB, int(_YOUNG * heap_bytes) // _MIB
    preferences = folder / _PREFERENCES
    return [
        "--add-opens=java.base/java.lang=ALL-UNNAMED",  # Gatling does not start without
        f"-Xms{heap}m",
        f"-Xmx{heap}m",
        f"-Xmn{young}m",
        *_MEMORY,
        f'-Xlog:gc*,safepoint:file="{folder / GC_LOG}":time,uptime,level,tags:{_GC_LOG_CAP}',
        f"-Dlogback.configurationFile={logback}",
        f"-Djava.io.tmpdir={temporary}",
        f"-Djava.util.prefs.userRoot={preferences}",
        f"-Djava.util.prefs.systemRoot={preferences}",
        "-Dgatling.data.enableAnalytics=false",
        "-Dgatling.data.writers.0=file",  # no progress on the console
        "-Dgatling.http.warmUpUrl=",
    ]


def archiving(archive: Path) -> tuple[str, ...]:
    """Options with which the JVM keeps its classes in `archive` when it ends."""
    return (f"-XX:ArchiveClassesAtExit={archive}",)


def from_archive(archive: Path) -> tuple[str, ...]:
    """Options with which the JVM takes its classes from `archive`, and from their jars where that does not fit."""
    return (f"-XX:SharedArchiveFile={archive}",)


def write_preferences(folder: Path) -> None:
    """Lay out the Java preferences that `options` points to."""
    node = folder / _PREFERENCES / ".java" / ".userPrefs" / "io" / "gatling" / "latestVersion"
    node.mkdir(parents=True, exist_ok=True)
    (node / "prefs.xml").write_text(_NEVER_LOOK, encoding="utf-8")
