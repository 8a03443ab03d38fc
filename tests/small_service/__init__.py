"""A service of one class with a history: built in two seconds, up in one, and of exactly known cost."""

from __future__ import annotations

import subprocess
from pathlib import Path

_SERVICE = """\
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;

public class Service {
    public static void main(String[] arguments) throws Exception {
        var address = new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[0]));
        var server = HttpServer.create(address, 0);
        server.setExecutor(Executors.newFixedThreadPool(4));
        server.createContext("/report", exchange -> {
            var body = Report.write();
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }
}
"""

#: One report: `{copies}` times the same text.
_REPORT = """\
public class Report {{
    // {remark}
    public static byte[] write() {{
        var text = new StringBuilder();
        for (int copy = 0; copy < {copies}; copy++) {{
            text.setLength(0);
            for (int line = 0; line < 200; line++) text.append("line ").append(line).append('\\n');
            last = text.toString().getBytes();
        }}
        return last;
    }}
    private static volatile byte[] last;
}}
"""

_BUILD = """\
set -e
rm -rf target && mkdir -p target/classes
javac -d target/classes *.java
jar --create --file target/service.jar --main-class Service -C target/classes .
"""

#: A plan of seconds: these tests are about what happens.
_CONFIGURATION = """\
[target]
name = "small"
command = ["{java}", "-Xms64m", "-Xmx64m", "-jar", "{artifact}", "{port}"]
ready = "/report"
ready_timeout = "120 s"
application = ["Report", "Service"]

[source]
command = ["sh", "build.sh"]
artifact = "target/service.jar"

[scenario]
rate = "100/s"

[[scenario.endpoints]]
name = "GET /report"
path = "/report"

[profiler]
allocation = "64 KiB"
upload_interval = "1 s"

[plan]
pairs = 6
side = "2 s"
slice = "1 s"
warmup = "3 s"
burst = "3 s"
steady = false
"""


class SmallService:
    """The source of the service in a git repository of its own, commit by commit."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "pacecar.toml").write_text(_CONFIGURATION)
        (folder / "build.sh").write_text(_BUILD)
        (folder / "Service.java").write_text(_SERVICE)
        (folder / ".gitignore").write_text("/target/\n/state/\n")
        self._git("init", "--quiet", "--initial-branch=main")

    def commit(self, subject: str, *, copies: int = 2, broken: bool = False, exits: bool = False) -> str:
        """Commit a report written `copies` times over; returns the full hash.

        Args:
            subject: of the commit; also stands in the source.
            copies: what a report costs.
            broken: it does not compile.
            exits: the service ends before it is up.
        """
        service = _SERVICE.replace("var address", "System.exit(3);\n        var address") if exits else _SERVICE
        (self.folder / "Service.java").write_text(service)
        report = _REPORT.format(copies=copies, remark=subject.encode("ascii", "replace").decode())
        (self.folder / "Report.java").write_text(report.replace("return last;", "return") if broken else report)
        self._git("add", "--all")
        self._git("commit", "--quiet", "--message", subject)
        return self._git("rev-parse", "HEAD")

    def revert_to(self, ref: str) -> str:
        """Commit the source as it was at `ref`; returns the full hash."""
        self._git("checkout", "--quiet", ref, "--", ".")
        self._git("commit", "--quiet", "--allow-empty", "--message", f"As {ref}")
        return self._git("rev-parse", "HEAD")

    def tag(self, name: str) -> None:
        """Name the last commit."""
        self._git("tag", name)

    def head(self) -> str:
        """What is checked out, and which files differ from it."""
        return self._git("rev-parse", "--abbrev-ref", "HEAD") + self._git("status", "--porcelain")

    def _git(self, *arguments: str) -> str:
        identity = ["-c", "user.name=Ada", "-c", "user.email=ada@localhost"]
        command = ["git", "-C", str(self.folder), *identity, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
