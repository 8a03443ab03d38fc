"""What users get when something is wrong: one sentence, the right exit code, and nothing left behind."""

from __future__ import annotations

import pytest

from support.checkout import CHECKOUT

pytestmark = pytest.mark.shares_machine

#: Reaches the service, and fails.
_FILLS = (
    '["python3", "-c", "from urllib.request import urlopen as ask; '
    "ask('{url}/actuator/health/readiness'); exit('no data')\"]"
)

CASES = {
    "unknown key": ({'slice = "1 s"': 'slize = "1 s"'}, (), 2, ["slize", "did you mean", "slice"]),
    "wrong unit": ({'slice = "1 s"': 'slice = "1 kg"'}, (), 2, ["slice", "1 kg"]),
    "unknown build": ({}, ("--candidate", "no-such-branch"), 2, ["no-such-branch"]),
    "exits at once": (
        {'"-jar", "{artifact}"': '"-jar", "{artifact}.gone"'},
        (),
        3,
        ["ended", "Unable to access jarfile"],
    ),
    "never ready": (
        {'"/actuator/health/readiness"': '"/nowhere"', 'ready_timeout = "240 s"': 'ready_timeout = "15 s"'},
        (),
        3,
        ["was not ready", "/nowhere"],
    ),
    "cannot be filled": (
        {"\n[source]": f"\n[target.hooks]\nready = [{_FILLS}]\n\n[source]"},
        (),
        3,
        ["The ready command `python3 -c", "ended with status 1", "no data"],
    ),
    "no such simulation": (
        {'model = "open"': 'model = "open"\nsimulation = "dev.pacecar.scenarios.NoSuch"\nmodule = "{root}/scenarios"'},
        (),
        3,
        ["dev.pacecar.scenarios.NoSuch"],
    ),
    "missing file": ({}, ("--config", "elsewhere.toml"), 2, ["elsewhere.toml", "pacecar init"]),
}


@pytest.mark.parametrize(("changes", "arguments", "status", "said"), CASES.values(), ids=CASES.keys())
def test_a_mistake_is_one_sentence(project, changes, arguments, status, said) -> None:
    project.edit({old: new.replace("{root}", str(CHECKOUT)) for old, new in changes.items()})
    ended = project.pacecar("compare", "--pairs", "1", *arguments)
    assert ended.returncode == status, ended.stderr
    for words in said:
        assert words in ended.stderr
    assert "Traceback" not in ended.stderr
    assert project.left_behind() == []


def test_a_build_that_does_not_compile(project) -> None:
    source = project.folder / "targets" / "orders" / "src" / "main" / "java" / "shop" / "orders" / "Broken.java"
    source.write_text("package shop.orders; class Broken { int x = ; }\n")
    ended = project.pacecar("compare", "--pairs", "1")
    assert ended.returncode == 2
    assert "failed" in ended.stderr
    assert "Broken.java" in ended.stderr
    assert project.left_behind() == []
