"""The whole examination."""

from pacecar.onboarding import doctor


def test_every_lack_has_a_remedy_and_nothing_else_has(tmp_path):
    checks = doctor.examine(archive=tmp_path / "not" / "yet")
    names = [check.name for check in checks]
    assert len(set(names)) == len(names)
    assert {"java", "mvn", "cores", "steal", "process clock", "archive", "state folder"} <= set(names)
    for check in checks:
        assert bool(check.remedy) is not check.ok, check
        assert check.found


def test_the_archive_is_looked_for_where_it_would_be_made(tmp_path):
    archive = next(check for check in doctor.examine(archive=tmp_path / "a" / "b") if check.name == "archive")
    assert archive.ok
    assert archive.found.endswith(f"free in {tmp_path}")


def test_an_archive_below_a_file_is_a_lack(tmp_path):
    (tmp_path / "file").touch()
    archive = next(check for check in doctor.examine(archive=tmp_path / "file" / "runs") if check.name == "archive")
    assert (archive.ok, archive.required) == (False, True)


def test_without_a_state_folder_the_rest_is_still_examined(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("PACECAR_STATE", str(tmp_path / "file" / "state"))
    checks = {check.name: check for check in doctor.examine(archive=tmp_path)}
    assert (checks["state folder"].ok, checks["state folder"].required) == (False, True)
    assert "PACECAR_STATE" in (checks["state folder"].remedy or "")
    assert checks["loopback"].ok
    assert "java" not in checks


def test_nothing_is_left_behind(tmp_path):
    doctor.examine(archive=tmp_path)
    assert list((tmp_path / "state" / "ledgers").iterdir()) == []
