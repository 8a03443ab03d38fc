"""The first process of a node: `unshare` runs it in the node's own process and mount namespaces.

It sets up what no flag of the node's parts can move elsewhere, and then only waits. When it ends, everything that runs
or is mounted on the node ends with it. It ends when its input does, and so also when the process that started it is
killed.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

#: Folders in which something has its fixed place: sockets of shims, names of network namespaces, addresses of pods,
#: sockets of kubelet for devices, links to logs. What is written there lands in the node's folder.
_WRITTEN_TO = ("/run", "/var/lib", "/var/log")
#: What kubelet and the network's plugin would set for the whole machine, and for good. They find it set.
_SETTINGS = {
    "kernel/keys/root_maxbytes": "25000000",
    "kernel/keys/root_maxkeys": "1000000",
    "kernel/panic": "10",
    "kernel/panic_on_oops": "1",
    "net/ipv4/ip_forward": "1",
    "vm/overcommit_memory": "1",
    "vm/panic_on_oom": "0",
}


def main(folder: Path, node: str, address: str) -> None:
    """Cover what is the machine's, tell so, and reap until the input ends."""
    for number, path in enumerate(_WRITTEN_TO):
        upper, work = folder / f"written-{number}", folder / f"work-{number}"
        upper.mkdir()
        work.mkdir()
        _mount("-t", "overlay", "-o", f"lowerdir={path},upperdir={upper},workdir={work}", "overlay", path)
    for name, value in _SETTINGS.items():
        _cover(Path("/proc/sys", name), f"{value}\n", folder / "settings" / name)
    _cover(Path("/etc/hosts"), f"127.0.0.1 localhost\n{address} {node}\n", folder / "hosts")
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # so the kernel reaps whoever lost its parent
    print("ready", flush=True)
    sys.stdin.read()


def _cover(path: Path, content: str, file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content)
    _mount("--bind", str(file), str(path))


def _mount(*arguments: str) -> None:
    subprocess.run(["mount", *arguments], check=True, stdin=subprocess.DEVNULL)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
