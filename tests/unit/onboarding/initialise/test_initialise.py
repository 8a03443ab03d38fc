"""Writing a first configuration, for projects of all sorts."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pacecar.inputs import config
from pacecar.onboarding import initialise
from support.checkout import CHECKOUT

ORDERS = CHECKOUT / "targets" / "orders"


def test_the_sample_service_can_be_understood():
    loaded = config.parse(initialise.propose(ORDERS), ORDERS / "pacecar.toml")
    assert loaded.target.name == "orders"
    assert loaded.target.ready.path == "/actuator/health/readiness"
    assert loaded.target.metrics_path == "/actuator/prometheus"
    assert loaded.target.application == ("shop.orders",)
    assert loaded.source.artifact == "target/orders.jar"
    assert [endpoint.name for endpoint in loaded.scenario.endpoints] == [
        "GET /orders",
        "GET /orders/{id}",
        "GET /price",
        "GET /report",
    ]


def test_a_jar_that_lies_there(proposed):
    _, loaded = proposed({"target/shop.jar": b"", "target/zzz.jar": b""})
    assert loaded.source is None
    assert loaded.baseline == "jar:target/shop.jar"


def test_nothing_at_all(proposed):
    text, loaded = proposed({})
    assert loaded.target.name == "shop-service"
    assert (loaded.source, loaded.baseline) == (None, None)
    assert "only jars can be compared" in text


@pytest.mark.parametrize(
    ("files", "told", "command"),
    [
        ({"build.sbt": "", "project/plugins.sbt": 'addSbtPlugin("x" % "sbt-assembly" % "2")'}, "sbt", "assembly"),
        ({"build.sbt": "lazy val root = project.enablePlugins(PlayScala)"}, "sbt", "stage"),
        ({"build.sbt": "", "project/plugins.sbt": 'addSbtPlugin("x" % "sbt-native-packager" % "1")'}, "sbt", "stage"),
        ({"project.clj": "(defproject shop)"}, "Leiningen", "uberjar"),
        ({"deps.edn": "{}"}, "the Clojure CLI", "uber"),
        ({"build.mill": ""}, "Mill", "app.assembly"),
        ({"MODULE.bazel": ""}, "Bazel", "//app:app_deploy.jar"),
        ({"build.xml": "<project/>"}, "Ant", "jar"),
    ],
)
def test_a_build_that_cannot_be_read_is_named(proposed, files, told, command):
    text, loaded = proposed(files)
    assert f"it is built by {told} ({next(iter(files))}), which init cannot read: [source] below" in text
    assert f'"{command}"]\n# artifact = ' in text
    assert loaded.source is None


def test_a_build_that_can_be_read_is_taken_first(proposed, pom):
    text, _ = proposed({"pom.xml": pom(), "build.xml": "<project/>"})
    assert "Ant" not in text


def test_a_module_without_a_build_around_it(project):
    root = project({"orders/pom.xml": "<project/>"})
    with pytest.raises(initialise.InitialiseError, match="has no module 'orders'") as caught:
        initialise.propose(root, module="orders")
    assert str(caught.value.hint).endswith(f"pacecar init {root / 'orders'}")


@pytest.mark.parametrize("module", [".", ""])
def test_the_project_itself_is_no_module(project, module):
    root = project({"pom.xml": "<project><artifactId>shop</artifactId></project>"})
    assert initialise.propose(root, module=module) == initialise.propose(root)


class TestWriting:
    def test_the_file_is_named(self, project):
        root = project({})
        assert initialise.write(root, force=False) == root / "pacecar.toml"

    def test_an_existing_file_is_kept(self, project):
        root = project({"pacecar.toml": "mine"})
        with pytest.raises(initialise.InitialiseError, match=r"pacecar.toml exists already\.$") as caught:
            initialise.write(root, force=False)
        assert "--force" in str(caught.value.hint)
        assert (root / "pacecar.toml").read_text() == "mine"

    def test_unless_it_is_to_be_replaced(self, project):
        root = project({"pacecar.toml": "mine"})
        assert "mine" not in initialise.write(root, force=True).read_text()

    def test_a_link_is_not_followed(self, project, tmp_path):
        (project({}) / "pacecar.toml").symlink_to(tmp_path / "elsewhere")
        with pytest.raises(initialise.InitialiseError, match="exists already"):
            initialise.write(tmp_path / "shop-service", force=False)
        assert not (tmp_path / "elsewhere").exists()

    @pytest.mark.hostile
    def test_a_link_is_replaced_and_never_written_through(self, project, tmp_path):
        (tmp_path / "elsewhere").write_text("mine")
        root = project({})
        (root / "pacecar.toml").symlink_to(tmp_path / "elsewhere")
        assert "[target]" in initialise.write(root, force=True).read_text()
        assert not (root / "pacecar.toml").is_symlink()
        assert (tmp_path / "elsewhere").read_text() == "mine"

    def test_a_folder_in_its_place_is_reported(self, project):
        root = project({"pacecar.toml/x": ""})
        with pytest.raises(initialise.InitialiseError, match="cannot be written: Is a directory"):
            initialise.write(root, force=True)

    def test_a_missing_folder_is_reported(self, tmp_path):
        with pytest.raises(initialise.InitialiseError, match="is not a directory"):
            initialise.write(tmp_path / "nowhere", force=False)


TEXT = st.text(st.characters(codec="utf-8"), max_size=30)


@given(
    artifact=TEXT,
    group=TEXT,
    final=TEXT,
    module=TEXT,
    folder=st.from_regex(r"[^/\x00]{1,30}", fullmatch=True).filter(lambda name: name not in {".", ".."}),
)
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=80)
def test_whatever_names_a_project_has_the_proposal_loads(tmp_path, artifact, group, final, module, folder):
    root = tmp_path / folder.encode("utf-8", "replace").decode()
    root.mkdir(exist_ok=True)
    escaped = [part.replace("&", "&amp;").replace("<", "&lt;") for part in (artifact, group, final, module)]
    (root / "pom.xml").write_text(
        f"<project><artifactId>{escaped[0]}</artifactId><groupId>{escaped[1]}</groupId><packaging>pom</packaging>"
        f"<build><finalName>{escaped[2]}</finalName></build><modules><module>{escaped[3]}</module></modules></project>",
        encoding="utf-8",
    )
    config.parse(initialise.propose(root), root / "pacecar.toml")


def test_a_folder_of_services_says_where_these_lie(proposed):
    text, loaded = proposed({"docs/a.md": "", "carts/build.gradle": "", "orders/pom.xml": "<project/>", "pom.txt": ""})
    assert "# GUESS: there are projects in carts, orders; for one of them: pacecar init carts\n" in text
    assert loaded.source is None
