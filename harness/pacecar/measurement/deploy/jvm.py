"""The JVM inside a fork: which process it is, and what it says about itself."""

from __future__ import annotations

import contextlib
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from pacecar.system.foreign import files
from pacecar.system.resources import Resources

#: Compiler threads that come and go would take their CPU time with them.
LASTING_COMPILERS = "-XX:-UseDynamicNumberOfCompilerThreads"
#: For JVMs whose allocation is counted exactly. The second compiler leaves out objects that it proves to stay within a
#: method, and when it has compiled which method is chance; the first compiler and the interpreter make every object.
COUNTABLE = ("-XX:TieredStopAtLevel=1",)
_JCMD_S = 20.0
#: What jcmd prints once a command that has no output of its own is done.
_COLLECTED = "Command executed successfully"
_FLAG = re.compile(r"-XX:\S+")
_VERSION = re.compile(r"^(?P<name>.*VM) version (?P<version>\S+)$", re.MULTILINE)
_LOGGED_VERSION = re.compile(rb"\[gc,init\s*\] Version: ([\w.+-]{1,80})")
_HEAD_BYTES = 4096
#: A log of collections: so many files beside the one that is written, and how large each may get.
_LOG_FILES, _LOG_MIB = 3, 32
_RELEASE_BYTES = 64 << 10
_IMPLEMENTOR = re.compile(r'^IMPLEMENTOR="(.*)"$', re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Jvm:
    """What a JVM says it is.

    Attributes:
        flags: the `-XX` flags that differ from the JVM's defaults, those it chose by itself included.
        version: name, version and vendor; None when it would not say.
    """

    flags: tuple[str, ...] = ()
    version: str | None = None


def gc_log_option(folder: Path) -> str:
    """The JVM argument that logs collections and safepoints to `gc_log(folder, pid)`, to files of a capped size.

    When one is full the JVM puts it aside as `gc-PID.log.0` and so on, and begins anew in place of the oldest.

    Each JVM of a fork writes a file of its own: a wrapper may well start more than one.
    """
    capped = f"filecount={_LOG_FILES},filesize={_LOG_MIB}M"
    return f'-Xlog:gc*,safepoint:file="{folder}/gc-%p.log":time,uptime,level,tags:{capped}'


def gc_log(folder: Path, pid: int) -> Path:
    """The log that the JVM `pid` writes when started with `gc_log_option`."""
    return folder / f"gc-{pid}.log"


def find_service(root: int, *, port: int, socket: Path) -> psutil.Process:
    """The process that is the service: the command itself may be a script that starts it.

    Among `root` and its descendants a JVM comes before anything else, then the one that listens on `port`, then the
    one whose counter agent was told `socket` and listens (see `agent_socket`), then the one nearest to `root`.

    Raises:
        psutil.NoSuchProcess: when `root` has ended.
    """
    leader = psutil.Process(root)
    return likeliest([leader, *leader.children(recursive=True)], port=port, socket=socket)


def likeliest(processes: Sequence[psutil.Process], *, port: int, socket: Path) -> psutil.Process:
    """Which of `processes`, at least one, is the service; see `find_service`."""
    return max(processes, key=lambda process: (is_jvm(process), _listens(process, port), holds(process, socket)))


def listening(root: int) -> tuple[int, ...]:
    """TCP ports on which `root` and its descendants accept connections, ascending; () when it has ended."""
    found: set[int] = set()
    with contextlib.suppress(psutil.Error):
        leader = psutil.Process(root)
        for process in (leader, *leader.children(recursive=True)):
            found |= _ports(process)
    return tuple(sorted(found))


def is_jvm(process: psutil.Process) -> bool:
    """Whether a process has loaded HotSpot's (or OpenJ9's) library, whatever its program is called."""
    try:
        return "/libjvm.so" in Path(f"/proc/{process.pid}/maps").read_text(errors="replace")
    except OSError:
        return False


def runs(process: psutil.Process) -> bool:
    """Whether a process has not ended; one that nobody has waited for yet has."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def describe(process: psutil.Process, *, resources: Resources, folder: Path) -> Jvm:
    """Ask a JVM for its flags and version.

    Costs the JVM a few milliseconds on a thread of its own, so not while a window is measured. A JVM without `jcmd`
    beside it is not asked.
    """
    answers = [_asked(process, question, resources=resources, folder=folder) for question in ("VM.flags", "VM.version")]
    match = _VERSION.search(answers[1])
    version = f"{match['name']} {match['version']} {_vendor(process)}".strip() if match else None
    return Jvm(flags=tuple(_FLAG.findall(answers[0])), version=version)


def collect(process: psutil.Process, *, resources: Resources, folder: Path, timeout_s: float, times: int = 1) -> bool:
    """Have a JVM collect its whole heap, so many times; returns whether it has, once at least.

    Waits until it has, for at most `timeout_s`: a collection that takes longer goes on, nobody can stop it. A JVM
    without `jcmd` beside it is not asked.
    """
    answer = _asked(process, *["GC.run"] * times, resources=resources, folder=folder, timeout_s=timeout_s)
    return _COLLECTED in answer


def version_in(log: Path) -> str | None:
    """The version at the head of a log of collections; None when there is none."""
    try:
        match = _LOGGED_VERSION.search(files.beginning(log, most=_HEAD_BYTES))
    except OSError:
        return None
    return match.group(1).decode() if match else None


def _asked(
    process: psutil.Process, *questions: str, resources: Resources, folder: Path, timeout_s: float = _JCMD_S
) -> str:
    """The beginning of what a JVM answers; "" where it cannot be asked."""
    jcmd = _jcmd(process)
    if jcmd is None or not is_jvm(process):
        return ""
    command = [str(jcmd), str(process.pid), "\n".join(questions)]
    log = folder / f"{questions[0]}.txt"
    log.unlink(missing_ok=True)  # an earlier answer to the same question is none to this one
    _, child = resources.run(command, name="jcmd", log=log, timeout_s=timeout_s, env={"PATH": "/usr/bin:/bin"})
    return child.tail(200)


def _jcmd(process: psutil.Process) -> Path | None:
    # One in a container is not ours to run: its libraries are there.
    with contextlib.suppress(psutil.Error):
        beside = Path(process.exe()).parent / "jcmd"
        if _root(process) == Path("/") and beside.is_file():
            return beside
    found = shutil.which("jcmd")
    return Path(found) if found else None


def _root(process: psutil.Process) -> Path:
    """What the process sees as its root, as a path of this machine."""
    inside = Path(f"/proc/{process.pid}/root")
    try:
        return Path("/") if inside.samefile("/") else inside
    except OSError:
        return inside


def _vendor(process: psutil.Process) -> str:
    try:
        java_home = Path(process.exe()).parent.parent
        release = _root(process) / java_home.relative_to("/") / "release"
        text = files.content(release, most=_RELEASE_BYTES).decode("utf-8", "replace")
    except (OSError, ValueError, psutil.Error):
        return ""
    match = _IMPLEMENTOR.search(text)
    return match.group(1)[:80] if match else ""


def _listens(process: psutil.Process, port: int) -> bool:
    return port in _ports(process)


def _ports(process: psutil.Process) -> set[int]:
    with contextlib.suppress(psutil.Error):
        return {
            connection.laddr.port
            for connection in process.net_connections("tcp")
            if connection.status == psutil.CONN_LISTEN
        }
    return set()


def holds(process: psutil.Process, socket: Path) -> bool:
    """Whether a process listens as a counter agent does that was told `socket`; see `agent_socket`."""
    own = str(agent_socket(socket, process.pid))
    with contextlib.suppress(psutil.Error):
        return any(str(connection.laddr) == own for connection in process.net_connections("unix"))
    return False


def agent_socket(told: Path, pid: int) -> Path:
    """Where the counter agent in the JVM `pid` listens that was told `told`.

    What a JVM starts has its options from the same variable, and may be a JVM as well. So each adds the id that it has
    where it runs, and is read by nobody who asks another one.
    """
    return told.with_name(f"{told.name}.{pid_inside(pid)}")


def pid_inside(pid: int) -> int:
    """The id that a process has in its own PID namespace, such as its container's."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(errors="replace")
    except OSError:
        return pid
    line = next((line for line in status.splitlines() if line.startswith("NSpid:")), f"NSpid: {pid}")
    return int(line.split()[-1])
