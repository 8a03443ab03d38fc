"""What is said of a rate that nobody has looked at."""

from __future__ import annotations

from pathlib import Path

import pytest

from pacecar.onboarding import doctor, initialise
from pacecar.onboarding.doctor import load

POM = "<project><artifactId>shop</artifactId></project>"


def _proposed(folder: Path) -> Path:
    (folder / "pom.xml").write_text(POM)
    return initialise.write(folder, force=False, module="")


def test_the_guess_of_init_is_named_with_the_command_that_finds_a_rate(tmp_path: Path) -> None:
    path = _proposed(tmp_path)
    (check,) = load.checks(path)
    line = path.read_text().split("\n").index('rate = "50/s"') + 1
    assert check.found == f"{path} line {line}: 50/s, as pacecar init guessed it"
    assert "pacecar size" in (check.remedy or "")
    assert (check.ok, check.required) == (False, False)


def test_doctor_tells_it(tmp_path: Path) -> None:
    path = _proposed(tmp_path)
    names = [check.name for check in doctor.examine(archive=tmp_path / "a", configuration=path)]
    assert names.count("rate") == 1


@pytest.mark.parametrize(
    ("old", "new"), [('rate = "50/s"', 'rate = "190/s"'), ("# GUESS: a rate", "# A rate"), ("rate =", "# rate =")]
)
def test_whoever_has_looked_at_it_is_told_nothing(tmp_path: Path, old: str, new: str) -> None:
    path = _proposed(tmp_path)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    assert load.checks(path) == ()


@pytest.mark.hostile
@pytest.mark.parametrize(
    "text", ["", "scenario = 3", "[scenario\n", 'rate = "50/s"', '[[scenario]]\nrate = "50/s"\n', "\0"]
)
def test_no_file_is_too_odd(tmp_path: Path, text: str) -> None:
    path = tmp_path / "pacecar.toml"
    assert load.checks(path) == ()
    path.write_text(text)
    assert load.checks(path) == ()
