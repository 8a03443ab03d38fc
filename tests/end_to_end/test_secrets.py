"""Whatever a user hides stays hidden: a real run with a secret in every place, and a look at every byte it leaves."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pandas as pd
import pyarrow as pa
import pytest

#: Where a secret stands -> the secret.
SECRETS = {
    place: f"Hush{number:02}-{place}-q7Zx"
    for number, place in enumerate(
        ["env", "secrets", "named", "set", "property", "option", "url", "userinfo", "header", "scenario", "build"]
    )
}
_CONFIG = f"""
[target.env]
DB_PASSWORD = "{SECRETS["env"]}"
DB_URL = "https://ada:{SECRETS["userinfo"]}@db.example/orders"

[target.secrets]
API_TOKEN = "OF_THE_USER"

[builds.named.other]
build = "ref:main"
env = {{ OTHER_TOKEN = "{SECRETS["named"]}" }}
jvm_args = ["-Dother.password={SECRETS["option"]}", "-Djdbc=jdbc:x://db/y?password={SECRETS["url"]}"]
"""
#: The service says all it knows: on its output, in its answers and in the names of its threads.
_TELLS = """        for (var told : System.getenv().entrySet()) if (told.getKey().matches(".*(PASSWORD|TOKEN|URL)")) {
            System.out.println(told);
            new Thread(() -> {
                while (true) {
                    Report.write();
                    java.util.concurrent.locks.LockSupport.parkNanos(2_000_000);
                }
            }, told.getValue()).start();
        }
        System.out.println(System.getProperties());
        var address"""


#: It repeats what it is asked, too.
_REPEATS = """exchange -> {
            System.out.println(exchange.getRequestURI() + " " + exchange.getRequestHeaders().entrySet());"""
#: These stand in the environment and in an argument only.
_ELSEWHERE = ["secrets", "set", "build"]


@pytest.mark.hostile
@pytest.mark.shares_machine
def test_no_secret_is_left_in_what_a_run_leaves(small) -> None:
    project, service = small
    project._environment["OF_THE_USER"] = SECRETS["secrets"]
    project._environment["SECRET_OF_THE_SHELL"] = SECRETS["build"]
    source = project.folder
    java = source / "Service.java"
    told = java.read_text().replace("        var address", _TELLS).replace("exchange -> {", _REPEATS)
    assert told.count("System.out") == 3
    java.write_text(told)
    script = source / "build.sh"
    # Never built before: of what the cache holds nothing would be said.
    script.write_text(f"env\n# {uuid4()}\n" + script.read_text())
    config = source / "pacecar.toml"
    text = config.read_text().replace('"-Xmx64m",', f'"-Xmx64m", "-Ddb.password={SECRETS["property"]}",')
    text = text.replace('path = "/report"', f'path = "/report"\nheaders = {{ X-Api-Key = "{SECRETS["header"]}" }}')
    text = text.replace('path = "/report"', f'path = "/report?api_key={SECRETS["scenario"]}"')
    text = text.replace('artifact = "', 'inherit = ["SECRET_OF_THE_SHELL"]\nartifact = "', 1)
    config.write_text(text + _CONFIG)
    assert [place for place, secret in SECRETS.items() if secret not in config.read_text()] == _ELSEWHERE
    service.commit_as_it_is("It tells all it knows")
    arguments = ("compare", "--baseline", "ref:main", "--candidate", "other", "--pairs", "1")
    run = project.pacecar(*arguments, "--set", f"target.env.SET_TOKEN={SECRETS['set']}", "--fail-on", "nothing")
    assert run.returncode in (0, 3), run.stderr
    shown = [run.stdout, run.stderr]
    for kind in ("markdown", "junit"):
        shown.append(project.pacecar("report", "--format", kind).stdout)
    shown.append(project.pacecar("runs", "show").stdout)
    assert not _found("".join(shown).encode())
    left = [path for folder in (source / ".pacecar", project.state) for path in folder.rglob("*")]
    left = [path for path in left if path.is_file() and not path.is_symlink()]
    assert len(left) > 20
    leaks = {str(path.relative_to(source)): _found(content) for path in left for content in _contents(path)}
    assert {path: places for path, places in leaks.items() if places} == {}
    logs = "".join(path.read_text() for path in left if path.name == "service.log" or "build-logs" in path.parts)
    threads = {name for path in left if path.name == "samples.parquet" for name in pd.read_parquet(path)["thread"]}
    assert "***" in threads
    assert not [name for name in threads for secret in SECRETS.values() if secret[:8] in name]
    for name in ("DB_PASSWORD=***", "API_TOKEN=***", "SET_TOKEN=***", "OTHER_TOKEN=***", "SECRET_OF_THE_SHELL=***"):
        assert name in logs  # or nothing would have been said that had to be struck out


def _found(content: bytes) -> list[str]:
    spellings = ("utf-8", "utf-16-le", "utf-16-be")
    return [place for place, secret in SECRETS.items() if any(secret.encode(each) in content for each in spellings)]


def _contents(path: Path) -> Iterator[bytes]:
    """The bytes of a file, as they are and as whoever opens it reads them."""
    content = path.read_bytes()
    yield content
    if content[:2] == b"\x1f\x8b":
        yield gzip.decompress(content)
    elif content[:4] == b"\x28\xb5\x2f\xfd":
        yield pa.CompressedInputStream(pa.BufferReader(content), "zstd").read()
    elif content[:1] == b"\x78":
        yield zlib.decompress(content)
    elif path.suffix == ".parquet":
        yield pd.read_parquet(path).to_csv().encode()
