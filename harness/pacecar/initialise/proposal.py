"""The text of a first configuration: every guess marked as one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from pacecar.initialise.endpoints import GuessedEndpoint
from pacecar.initialise.project import Project

_HEAD = """\
# Proposed by `pacecar init` from the files of this project. Lines with GUESS are worth a look.
# Every key: docs/reference/configuration.md. Next: pacecar compare --dry-run
"""

_PLAN = """\
[plan]
pairs = 6          # pairs of fresh JVMs: more pairs see smaller changes
side = "30 s"      # measured per side and pair
warmup = "20 s"    # before that, on both sides at once

# What is promised: how much worse a metric may get. Without budgets of your own there are defaults.
[[budgets]]
metric = "latency.p99"
worse = "10 %"

[[budgets]]
metric = "cpu"
worse = "5 %"
"""


def proposal(project: Project) -> str:
    """A `pacecar.toml` for `project`."""
    sections = [_head(project), _target(project), _source(project), _scenario(project)]
    return "\n".join(["\n".join(section) + "\n" for section in sections] + [_PLAN])


def _head(project: Project) -> Iterator[str]:
    yield _HEAD.rstrip()
    for remark in project.remarks:
        yield _comment(f"GUESS: {remark}")


def _target(project: Project) -> Iterator[str]:
    yield "[target]"
    yield f"name = {_text(project.name)}"
    if project.spring_boot:
        yield "# {artifact} is the build's jar, {port} a free port, {java} the JVM."
        port = "--server.port={port}"
    else:
        yield "# GUESS: that it is told its port this way. {artifact} is the build's jar, {port} a free port."
        port = "--port={port}"
    # A fixed heap keeps its growth out of the comparison.
    yield f"command = {_list(['{java}', '-Xms512m', '-Xmx512m', '-jar', '{artifact}', port])}"
    yield from _ready(project)
    if project.prometheus:
        if not project.exposed:
            yield "# GUESS: the page is not exposed yet; add it to management.endpoints.web.exposure.include."
        yield ("" if project.exposed else "# ") + 'metrics = "/actuator/prometheus"'
    if project.application:
        yield "# Your own code: time in libraries is charged to the frame below these packages that called them."
        yield f"application = {_list(project.application)}"
    else:
        yield '# application = ["com.example"]   # prefixes of your own packages'


def _ready(project: Project) -> Iterator[str]:
    yield "# The fork is up once this path answers with a 2xx status."
    if project.actuator:
        yield f"ready = {_text('/actuator/health/readiness' if project.probes else '/actuator/health')}"
        return
    simple = [endpoint.path for endpoint in project.endpoints if endpoint.method == "GET" and not endpoint.guesses]
    yield "# GUESS: no health page was found."
    yield f"ready = {_text(simple[0] if simple else '/')}"


def _source(project: Project) -> Iterator[str]:
    if not project.build_tool:
        yield "# No pom.xml or build.gradle was used, so only jars can be compared. To build from source:"
        yield '# [source]\n# command = ["make", "jar"]\n# artifact = "build/app.jar"'
        yield "\n[builds]"
        if project.artifact:
            yield "# GUESS: this jar lies here; the other one is named on the command line."
            yield f"baseline = {_text('jar:' + project.artifact)}"
        else:
            yield '# baseline = "jar:old.jar"\n# candidate = "jar:new.jar"'
        return
    yield f"# How source becomes a jar; {project.build_tool} was found."
    yield "[source]"
    yield f"command = {_list(project.build_command)}"
    if "*" in project.artifact:
        yield "# GUESS: that exactly one jar fits."
    yield f"artifact = {_text(project.artifact)}"
    yield "\n# What is compared when the command line names nothing: the last commit and the working tree."
    yield "[builds]"
    if not project.versioned:
        yield "# GUESS: this folder will be in a git repository; without one, name another tree or a patch."
    yield ("" if project.versioned else "# ") + 'baseline = "ref:HEAD"'
    yield 'candidate = "worktree"'


def _scenario(project: Project) -> Iterator[str]:
    yield "[scenario]"
    yield "# GUESS: a rate the service can keep up with. Both sides get the same requests at the same times."
    yield 'rate = "50/s"'
    if not project.endpoints:
        yield "\n# No endpoint was recognised. GUESS:"
        yield '[[scenario.endpoints]]\nname = "GET /"\npath = "/"'
        return
    yield "\n# GUESS: found in annotations; weights and data are made up. ${int(1,100)} is a number from 1 to 100."
    for endpoint in project.endpoints:
        yield from _endpoint(endpoint)


def _endpoint(endpoint: GuessedEndpoint) -> Iterator[str]:
    lines = ["[[scenario.endpoints]]", f"name = {_text(endpoint.name)}", "weight = 1"]
    if endpoint.method != "GET":
        lines.append(f"method = {_text(endpoint.method)}")
    lines.append(f"path = {_text(endpoint.path)}")
    if endpoint.method == "GET":
        yield ""
        if endpoint.guesses:
            yield _comment(f"GUESS: {', '.join(endpoint.guesses)}")
        yield from lines
    else:
        yield "\n# It changes something, and may need a body:"
        yield from (f"# {line}" for line in lines)
        if endpoint.method != "DELETE":
            yield "# headers = { Content-Type = \"application/json\" }\n# body = '{}'"


def _list(values: Iterable[str]) -> str:
    return f"[{', '.join(map(_text, values))}]"


def _text(value: str) -> str:
    # JSON's escapes are TOML's, and ASCII leaves nothing that TOML wants escaped but DEL.
    return json.dumps(value).replace("\x7f", "\\u007f")


def _comment(text: str) -> str:
    return "# " + "".join(letter if letter.isprintable() else "?" for letter in text)[:300]
