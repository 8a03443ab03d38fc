"""Programs: there, too old, at odds with each other, or not there."""

import pytest

from pacecar.onboarding.doctor import programs

OPENJDK = 'openjdk version "17.0.15" 2025-04-15\nOpenJDK Runtime Environment'
MAVEN = "\x1b[1mApache Maven 3.8.7\x1b[m\nMaven home: /usr/share/maven\nJava version: 17.0.15, vendor: Debian"


def by_name(resources):
    return {check.name: check for check in programs.checks(resources)}


@pytest.mark.parametrize(
    ("answer", "major"),
    [
        (OPENJDK, 17),
        ('java version "1.8.0_392"', 8),
        ('openjdk version "21" 2023-09-19', 21),
        (MAVEN, 17),
        ("no idea", None),
        ("", None),
    ],
)
def test_major_versions_of_java(answer, major):
    assert programs.java_major(answer) == major


def test_a_machine_with_nothing_lacks_what_is_required(program, resources):
    checks = by_name(resources)
    lacking = {name for name, check in checks.items() if not check.ok and check.required}
    assert lacking == {"java", "javac", "mvn", "git"}
    optional = {name for name, check in checks.items() if not check.ok and not check.required}
    assert optional == {"go", "chromium"}
    assert all(check.remedy for check in checks.values() if not check.ok)


def test_a_machine_with_all_of_them(program, resources):
    program("java", OPENJDK)
    program("javac")
    program("mvn", MAVEN)
    for name in ("git", "go", "chromium"):
        program(name, f"{name} version 2.39.5\nsecond line")
    checks = by_name(resources)
    assert all(check.ok and not check.remedy for check in checks.values())
    assert checks["java"].found.startswith('openjdk version "17.0.15"')
    assert checks["mvn"].found == "Apache Maven 3.8.7, with Java 17"
    assert checks["git"].found == "git version 2.39.5"


def test_an_old_java_is_a_lack(program, resources):
    program("java", 'java version "1.8.0_392"')
    program("mvn", "Apache Maven 3.8.7\nJava version: 1.8.0_392")
    checks = by_name(resources)
    assert not checks["java"].ok
    assert not checks["mvn"].ok
    assert "Java 8" in checks["mvn"].remedy


def test_a_program_that_fails_counts_as_not_there(program, resources):
    program("git", "git version 2.39.5", status=1)
    assert by_name(resources)["git"].found == "not found"


def test_control_characters_in_an_answer_are_not_passed_on(program, resources):
    program("git", "git\x1b]0;title\x07 version \x00 2")
    assert by_name(resources)["git"].found.isprintable()


class TestJavaHome:
    def test_without_java(self, program, resources, monkeypatch, tmp_path):
        monkeypatch.setenv("JAVA_HOME", str(tmp_path))
        check = by_name(resources)["JAVA_HOME"]
        assert (check.ok, check.required) == (False, True)
        assert "holds no bin/java" in check.found

    def test_another_java_on_the_path_is_worth_a_note(self, program, resources, monkeypatch, tmp_path):
        program("java", OPENJDK)
        program("java", OPENJDK, where=tmp_path / "jdk" / "bin")
        monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))
        check = by_name(resources)["JAVA_HOME"]
        assert (check.ok, check.required) == (False, False)
        assert str(tmp_path / "bin" / "java") in check.found

    def test_the_same_java_by_a_link_is_fine(self, program, resources, monkeypatch, tmp_path):
        path = program("java", OPENJDK, where=tmp_path / "jdk" / "bin")
        (tmp_path / "bin" / "java").symlink_to(path)
        monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))
        assert by_name(resources)["JAVA_HOME"].ok
