"""The text of a first configuration: every guess marked as one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from pacecar.onboarding.initialise.guesses import GuessedEndpoint
from pacecar.onboarding.initialise.project import Project

#: What marks a guess, and the one that stands for how much the service can take.
GUESS = "GUESS"
GUESSED_RATE = "50/s"
_REMARK = f"# {GUESS}: "

_SECRET = re.compile(r"PASSWORD|PASSWD|PASSPHRASE|PWD|(?:^|_)PASS(?:_|$)|SECRET|TOKEN|KEY|CREDENTIAL")
_HEAD = """\
# Proposed by `pacecar init` from the files of this project. Lines with GUESS are worth a look.
# Every key: docs/reference/configuration.md of Pacecar. Next: pacecar size, then pacecar compare --dry-run
"""

_PLAN = """\
# How much is measured: up to eight pairs of fresh JVMs, 35 s on each side. A run ends as soon as the result is
# clear, and after 20 minutes at the latest. To spend more time or less:
# [plan]
# time = "30 min"

# What is promised: how much worse a metric may get. Every metric has a default; to set your own:
# [[budgets]]
# metric = "latency.p99"
# worse = "10 %"
"""


def proposal(project: Project) -> str:
    """A `pacecar.toml` for `project`."""
    sections = [_head(project), _target(project), _source(project), _scenario(project)]
    return "\n".join(["\n".join(section) + "\n" for section in sections] + [_PLAN])


def remarks_in(text: str) -> list[str]:
    """What the first lines of a proposal say that was chosen, left out, or could not be known."""
    head = text.partition("\n[target]")[0].splitlines()
    return [line.removeprefix(_REMARK) for line in head if line.startswith(_REMARK)]


def _head(project: Project) -> Iterator[str]:
    yield _HEAD.rstrip()
    for remark in project.remarks:
        yield _comment(f"{GUESS}: {remark}")


def _target(project: Project) -> Iterator[str]:
    service = project.service
    yield "[target]"
    yield f"name = {_text(project.name)}"
    what = project.packing.artifact if project.packing and project.packing.program[0] != "-jar" else ""
    built = "the folder the build leaves" if what else "what the build leaves"
    unsure = "GUESS: that it takes its port this way. " if not service.sure else ""
    yield f"# {unsure}{{artifact}} is {built}, {{port}} a free port, {{java}} the JVM."
    program = project.packing.program if project.packing else ("-jar", "{artifact}")
    # A fixed heap keeps its growth out of the comparison.
    jvm = ("{java}", "-Xms512m", "-Xmx512m", *service.jvm_args)
    yield f"command = {_list((*jvm, *program, *service.program_args))}"
    if service.env:
        yield f"env = {{ {', '.join(f'{name} = {_text(value)}' for name, value in service.env)} }}"
    if service.port is not None:
        yield f"port = {service.port}"
    if service.directory != ".":
        yield "# It names files by paths that begin in this folder."
        yield f"directory = {_text(service.directory)}"
    yield from _ready(project)
    if service.metrics:
        if not service.exposed:
            yield "# GUESS: its settings do not expose this page (Spring: management.endpoints.web.exposure.include)."
        yield ("" if service.exposed else "# ") + f"metrics = {_text(service.metrics)}"
    if project.application:
        yield "# Your own code: time in libraries is charged to the frame in these packages that called them."
        yield f"application = {_list(project.application)}"
    else:
        yield '# application = ["com.example"]   # prefixes of your own packages'
    if service.setup:
        yield "\n# Before each start; {fork} is a fresh folder of each fork."
        yield "[target.hooks]"
        yield f"setup = [{', '.join(map(_list, service.setup))}]"
    yield from _variables(project.variables)


def _ready(project: Project) -> Iterator[str]:
    yield '# The fork is up once this path answers with a 2xx status; in a minute at most, or ready_timeout = "3 min".'
    if project.service.ready and project.service.guarded:
        yield "# GUESS: that Spring Security asks for no login here; where it does, name a page that needs none."
    if project.service.ready:
        yield f"ready = {_text(project.service.ready)}"
        return
    has_one = " (Spring's spring-boot-starter-actuator has one)" if project.service.framework == "Spring Boot" else ""
    yield f"# GUESS: no health page was found{has_one}. Name a page that answers without a login."
    reading = [endpoint for endpoint in project.endpoints if endpoint.is_page]
    free, closed = ([each for each in reading if bool(each.login) == asks] for asks in (False, True))
    plain = [*_plain_pages(free), *filter(None, (project.page,))]
    if not plain and closed and not free:
        yield "# GUESS to look at first: every page that was found asks for a login."
    elif not plain:
        yield "# GUESS to look at first: no page without made-up values was found, and this one may well answer 404."
    pages = [*plain, *_made_up_pages(free), *_plain_pages(closed), *_made_up_pages(closed)]
    yield f"ready = {_text(next(iter(pages), project.service.base or '/'))}"


def _plain_pages(endpoints: list[GuessedEndpoint]) -> list[str]:
    simple = [endpoint.path for endpoint in endpoints if not endpoint.guesses]
    # What a query leaves out is often taken as nothing; what a path leaves out is another page.
    return simple + [endpoint.route for endpoint in endpoints if "{" not in endpoint.route]


def _made_up_pages(endpoints: list[GuessedEndpoint]) -> list[str]:
    return [endpoint.example for endpoint in sorted(endpoints, key=lambda each: len(each.guesses))]


def _variables(names: Iterable[str]) -> Iterator[str]:
    """Tables of what the environment must hold: a fork inherits next to nothing of it (`deploy.launch`)."""
    plain = [name for name in names if not _SECRET.search(name)]
    secret = [name for name in names if _SECRET.search(name)]
    if plain or secret:
        yield "# GUESS: its settings ask for these variables without a default, and a fork inherits none of yours."
    if plain:
        yield "# [target.env]"
        yield from (f'# {name} = "…"' for name in plain)
    if secret:
        yield "# [target.secrets]   # copied from your environment, never recorded"
        yield from (f"# {name} = {_text(name)}" for name in secret)


def _source(project: Project) -> Iterator[str]:
    packing = project.packing
    if packing is None:
        yield "# No pom.xml or build.gradle was used, so only jars can be compared. To build from source:"
        build = project.unread
        command, artifact = (build.command, build.artifact) if build else (("make", "jar"), "build/app.jar")
        yield f"# [source]\n# command = {_list(command)}\n# artifact = {_text(artifact)}"
        yield "\n[builds]"
        if project.artifact:
            yield "# GUESS: this jar is here; the other one is named on the command line."
            yield f"baseline = {_text('jar:' + project.artifact)}"
        else:
            yield '# baseline = "jar:old.jar"\n# candidate = "jar:new.jar"'
        return
    yield f"# How source becomes what runs; {packing.tool} was found."
    yield "[source]"
    if packing.root != ".":
        yield f"root = {_text(packing.root)}"
    yield f"command = {_list(packing.command)}"
    if "*" in packing.artifact:
        yield "# GUESS: that exactly one file matches. The star is the version, which may differ between builds."
    yield f"artifact = {_text(packing.artifact)}"
    yield "\n# What is compared when the command line names nothing: the last commit and the working tree."
    yield "[builds]"
    if not project.versioned:
        yield "# GUESS: this folder will be in a git repository; without one, name another tree or a patch."
    yield ("" if project.versioned else "# ") + 'baseline = "ref:HEAD"'
    yield 'candidate = "worktree"'


def _scenario(project: Project) -> Iterator[str]:
    yield "[scenario]"
    yield f"# {GUESS}: a rate the service can keep up with; pacecar size finds one that fits."
    yield f'rate = "{GUESSED_RATE}"'
    if not project.endpoints:
        yield "\n# No endpoint was recognized. GUESS:"
        yield '[[scenario.endpoints]]\nname = "GET /"\npath = "/"'
        return
    yield "\n# GUESS: found in the sources; weights and data are made up. ${int(1,10)} is a number from 1 to 10."
    if not any(endpoint.reads for endpoint in project.endpoints):
        yield "# GUESS: none of them only reads. Uncomment one and give it a body; until then, GET / is sent."
    free = any(endpoint.reads and not endpoint.login for endpoint in project.endpoints)
    for endpoint in project.endpoints:
        # Without a login it would be refused, which is no work to measure.
        yield from _endpoint(endpoint, active=endpoint.reads and not (free and endpoint.login))


def _endpoint(endpoint: GuessedEndpoint, *, active: bool) -> Iterator[str]:
    lines = ["[[scenario.endpoints]]", f"name = {_text(endpoint.name)}", "weight = 1"]
    if endpoint.method != "GET":
        lines.append(f"method = {_text(endpoint.method)}")
    lines.append(f"path = {_text(endpoint.path)}")
    if endpoint.body is not None:
        lines += ['headers = { Content-Type = "application/json" }', f"body = {_literal(endpoint.body)}"]
    if active:
        yield ""
        asked = ("that it answers with a login only: give it headers",) if endpoint.login else ()
        if guesses := (*endpoint.guesses, *asked):
            yield _comment(f"GUESS: {', '.join(guesses)}")
        yield from lines
        return
    body = endpoint.method not in {"GET", "DELETE"} and endpoint.body is None
    does = "It answers with a login only" if endpoint.reads else "It changes something"
    yield f"\n# {does}{', and may need a body' if body else ''}:"
    yield from (f"# {line}" for line in lines)
    if endpoint.is_page:
        yield '# headers = { Authorization = "…" }'
    if body:
        yield "# headers = { Content-Type = \"application/json\" }\n# body = '{}'"


def _list(values: Iterable[str]) -> str:
    return f"[{', '.join(map(_text, values))}]"


def _text(value: str) -> str:
    # JSON's escapes are TOML's, and ASCII leaves nothing that TOML wants escaped but DEL.
    return json.dumps(value).replace("\x7f", "\\u007f")


def _literal(value: str) -> str:
    """Text with quotation marks of its own, as TOML takes it without escapes, where that can be."""
    return f"'{value}'" if value.isascii() and value.isprintable() and "'" not in value else _text(value)


def _comment(text: str) -> str:
    return "# " + "".join(letter if letter.isprintable() else "?" for letter in text)[:300]
