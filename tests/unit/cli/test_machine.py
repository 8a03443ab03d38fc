"""What `pacecar init` tells whoever called it."""

from typer.testing import CliRunner

from pacecar.cli import app

POM = "<project><artifactId>shop</artifactId><packaging>pom</packaging><modules><module>a</module></modules></project>"


def test_init_counts_its_guesses(tmp_path):
    (tmp_path / "pom.xml").write_text("<project><artifactId>shop</artifactId></project>")
    answer = CliRunner().invoke(app, ["init", str(tmp_path)])
    marked = (tmp_path / "pacecar.toml").read_text().count("# GUESS")
    assert f"wrote {tmp_path / 'pacecar.toml'}, with {marked} guesses marked GUESS" in answer.output
    assert marked > 1
    assert "pacecar size\n" in answer.output
    assert "pacecar compare --dry-run\n" in answer.output


def test_init_takes_the_module_that_was_named(tmp_path):
    for folder, text in {".": POM, "a": "<project><artifactId>a</artifactId></project>"}.items():
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "pom.xml").write_text(text)
    CliRunner().invoke(app, ["init", str(tmp_path), "--module", "a"])
    assert '"-pl", "a", "-am"' in (tmp_path / "pacecar.toml").read_text()


def test_init_says_what_it_chose(tmp_path):
    for folder, text in {".": POM, "a": "<project><artifactId>a</artifactId></project>"}.items():
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "pom.xml").write_text(text)
    answer = CliRunner().invoke(app, ["init", str(tmp_path)])
    assert "\n  of the modules, a was chosen as the service: it may need all others\n" in answer.output
    assert "\nNext: read it" in answer.output
