"""One value of a file changed, and nothing else."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from pacecar.inputs.config import ConfigError, edit, load
from support.checkout import CHECKOUT

START = '[target]\nname = "shop"\ncommand = ["{java}", "-jar", "{artifact}", "{port}"]\nready = "/ready"\n\n'
RATE = "scenario.rate"


def _changed(scenario: str) -> str:
    """What comes before `START` when the rate of `scenario` is changed."""
    whole = edit.with_value(f"{scenario}\n{START}", RATE, "190/s", path=Path("pacecar.toml"))
    assert whole.endswith(f"\n{START}")
    return whole.removesuffix(f"\n{START}")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('[scenario]\nrate = "50/s"\n', '[scenario]\nrate = "190/s"\n'),
        ('[scenario]\n  rate="50/s"# GUESS: "50/s"', '[scenario]\n  rate="190/s"# GUESS: "50/s"'),
        ("[scenario]\r\nrate\t= '50/s'  \r\n# end\r\n", '[scenario]\r\nrate\t= "190/s"  \r\n# end\r\n'),
        ('scenario.rate = "50/s"', 'scenario.rate = "190/s"'),
        ('scenario = { model = "open", rate = "50/s" }\n', 'scenario = { model = "open", rate = "190/s" }\n'),
        ('["scenario"]\n"rate" = "50/s"\n', '["scenario"]\n"rate" = "190/s"\n'),
        (
            '# rate = "1/s"\n[scenario]\nrate = "50/s" # not rate = "2/s"\n',
            '# rate = "1/s"\n[scenario]\nrate = "190/s" # not rate = "2/s"\n',
        ),
        (
            '[scenario]\nendpoints = [{ name = "rate", path = "/", body = \'rate = "50/s"\' }]\nrate = "50/s"\n',
            '[scenario]\nendpoints = [{ name = "rate", path = "/", body = \'rate = "50/s"\' }]\nrate = "190/s"\n',
        ),
        (
            'scenario = { simulation = \'rate = "50/s"\', rate = "50/s" }',
            'scenario = { simulation = \'rate = "50/s"\', rate = "190/s" }',
        ),
    ],
)
def test_the_value_is_changed_and_every_other_byte_is_kept(before: str, after: str) -> None:
    assert _changed(before) == after


@pytest.mark.parametrize(
    "scenario",
    [
        "",
        '[scenario]\nusers = 4\nmodel = "closed"\n',
        '[scenario]\nrate = """50/s"""\n',
        '[scenario]\nrate = """\\\n  50/s"""\n',
        '[scenario]\nrate = "50\\u002fs"\n',
        "[scenario]\nrate = [1]\n",
    ],
)
def test_what_is_written_in_another_way_is_refused_with_the_line_to_paste(tmp_path: Path, scenario: str) -> None:
    path = tmp_path / "pacecar.toml"
    path.write_text(START + scenario)
    with pytest.raises(ConfigError, match="scenario") as raised:
        edit.rewrite(path, RATE, "190/s")
    assert raised.value.hint == 'Write it yourself, below [scenario]: rate = "190/s"'
    assert path.read_text() == START + scenario


def test_a_file_keeps_its_mark_its_mode_and_the_link_to_it(tmp_path: Path) -> None:
    real, link = tmp_path / "shared.toml", tmp_path / "pacecar.toml"
    real.write_bytes(b"\xef\xbb\xbf" + (START + '[scenario]\r\nrate = "50/s"\r\n').encode())
    real.chmod(0o640)
    link.symlink_to(real)
    assert edit.rewrite(link, RATE, "190/s") == START.count("\n") + 2
    assert real.read_bytes() == b"\xef\xbb\xbf" + (START + '[scenario]\r\nrate = "190/s"\r\n').encode()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert link.is_symlink()


def test_users_are_a_number(tmp_path: Path) -> None:
    path = tmp_path / "pacecar.toml"
    path.write_text(START + '[scenario]\nmodel = "closed"\nusers = 4 # of each side\n')
    edit.rewrite(path, "scenario.users", 12)
    assert load(path).scenario.users == 12
    assert "users = 12 # of each side\n" in path.read_text()


def test_a_value_that_makes_the_file_wrong_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "pacecar.toml"
    text = START + '[scenario]\nrate = "50/s"\n\n[plan]\nside = "20 min"\n'
    path.write_text(text)
    with pytest.raises(ConfigError, match="requests per pair") as raised:
        edit.rewrite(path, RATE, "2000/s")
    assert 'rate = "2000/s"' in str(raised.value.hint)
    assert path.read_text() == text


@pytest.mark.hostile
def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing.toml"):
        with pytest.raises(ConfigError):
            edit.rewrite(path, RATE, "190/s")
    broken = tmp_path / "latin.toml"
    broken.write_bytes(b'[scenario]\nrate = "50/s" # \xe9\n')
    with pytest.raises(ConfigError, match="UTF-8"):
        edit.rewrite(broken, RATE, "190/s")


def test_the_configuration_of_the_sample_can_be_changed() -> None:
    text = (CHECKOUT / "pacecar.toml").read_text()
    changed = edit.with_value(text, RATE, "70/s", path=Path("pacecar.toml"))
    pairs = [pair for pair in zip(text.split("\n"), changed.split("\n"), strict=True) if pair[0] != pair[1]]
    assert pairs == [('rate = "150/s"', 'rate = "70/s"')]
