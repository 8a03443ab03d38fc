"""Maven projects of several modules: which is the service, what it runs with, and where its parents lie."""

import pytest

from pacecar.inputs import config
from pacecar.onboarding import initialise
from support.maven_parts import dependencies, plugin
from support.process_forks import command_of

BOOT = plugin("spring-boot-maven-plugin")


def test_of_several_modules_the_deployable_one_is_taken(proposed, pom):
    names = ("api", "../out", "server", "gone")
    modules = "".join(f"<module>{name}</module>" for name in names)
    text, loaded = proposed(
        {
            "pom.xml": pom(f"<packaging>pom</packaging><modules>{modules}</modules>", artifact="parent"),
            "api/pom.xml": pom(artifact="shop-api"),
            "server/pom.xml": pom(BOOT, artifact="shop-server"),
            "server/src/main/java/org/shop/server/App.java": "",
        }
    )
    assert loaded.target.name == "shop-server"
    assert loaded.source.command[-4:] == ("-pl", "server", "-am", "package")
    assert loaded.source.artifact == "server/target/shop-server-*.jar"
    assert loaded.target.application == ("org.shop.server",)
    assert "GUESS: of the modules, server was chosen" in text


def needs(*names, scope="compile"):
    listed = (f"<dependency><artifactId>{n}</artifactId><scope>{scope}</scope></dependency>" for n in names)
    return f"<dependencies>{''.join(listed)}</dependencies>"


class TestOfWhatAServiceNeeds:
    """Other modules hold code of one's own, too, and endpoints, and constants of their paths."""

    @pytest.fixture
    def files(self, pom):
        names = ("app", "web", "pricing", "testing", "other")
        modules = "".join(f"<module>{name}</module>" for name in names)
        controller = "@RestController class Prices { @GetMapping(Paths.ALL) void all() {} }"
        return {
            "pom.xml": pom(f"<packaging>pom</packaging><modules>{modules}</modules>", artifact="parent"),
            "app/pom.xml": pom(BOOT + needs("${project.parent.artifactId}-web"), artifact="app"),
            "web/pom.xml": pom(
                needs("pricing", "spring-boot-starter-actuator") + needs("testing", scope="test"), artifact="parent-web"
            ),
            "pricing/pom.xml": pom(needs("app"), artifact="pricing"),
            "testing/pom.xml": pom(artifact="testing"),
            "other/pom.xml": pom(artifact="other"),
            "app/src/main/java/org/shop/app/App.java": "",
            "web/src/main/java/org/shop/web/Prices.java": controller,
            "pricing/src/main/java/net/pricing/Paths.java": 'class Paths { static final String ALL = "/prices"; }',
            "testing/src/main/java/com/testing/T.java": "",
            "other/src/main/java/com/other/O.java": "",
        }

    @pytest.mark.parametrize("module", [None, ".", "app"])
    def test_counts_in_the_folder_of_the_service_alone(self, project, files, module):
        root = project({**files, ".git/HEAD": ""})
        (root / "mvnw").write_text("#!/bin/sh\n")
        (root / "mvnw").chmod(0o755)
        here = root if module == "app" else root / "app"
        loaded = config.load(initialise.write(here, force=True, module=module))
        assert loaded.source.root.resolve() == root.resolve()
        assert loaded.source.command == ("./mvnw", "-q", "-B", "-DskipTests", "-pl", "app", "-am", "package")
        assert loaded.source.artifact == "app/target/app-*.jar"
        assert loaded.target.application == ("net.pricing", "org.shop")
        assert [each.path for each in loaded.scenario.endpoints] == ["/prices"]

    def test_is_said_to_lie_above(self, project, files):
        text = initialise.propose(project({**files, ".git/HEAD": ""}) / "app")
        assert "# GUESS: it is a module of ../pom.xml, so it is built from there, see source.root\n" in text

    def test_is_not_looked_for_outside_of_the_repository(self, project, files):
        text = initialise.propose(project({**files, "app/.git/HEAD": ""}) / "app")
        assert "root =" not in text

    def test_is_not_looked_for_where_a_module_stands_alone(self, project, files):
        text = initialise.propose(project({**files, ".git/HEAD": ""}) / "other")
        assert "root =" not in text

    def test_is_its_own_code_too(self, proposed, files):
        _, loaded = proposed(files)
        assert loaded.target.application == ("net.pricing", "org.shop")
        assert [each.path for each in loaded.scenario.endpoints] == ["/prices"]
        assert loaded.target.ready.path == "/actuator/health"

    def test_may_be_told_by_its_parent(self, proposed, files, pom):
        modules = "<modules><module>app</module><module>other</module></modules>"
        parent = pom(f"<packaging>pom</packaging>{modules}{needs('other')}", artifact="parent")
        _, loaded = proposed({**files, "pom.xml": parent})
        assert loaded.target.application == ("com.other", "org.shop")

    @pytest.mark.parametrize(
        ("needed", "packages"),
        [("${kind}", ("com.other", "com.testing", "org.shop")), ("kafka_${scala}", ("org.shop.app",))],
    )
    def test_may_be_hidden_behind_a_property(self, proposed, files, pom, needed, packages):
        _, loaded = proposed({**files, "app/pom.xml": pom(BOOT + needs(needed), artifact="app")})
        assert loaded.target.application == packages


def test_a_module_is_built_with_its_parents(project, pom):
    """They say what packs it, and may be far above; settings in a file of their own lie beside the configuration."""

    def inner(parent, artifact, body):
        return pom(f"<parent><artifactId>{parent}</artifactId></parent>{body}", artifact=artifact)

    packaging = "<packaging>pom</packaging><modules><module>{}</module></modules>"
    root = project(
        {
            ".git/HEAD": "",
            "pom.xml": pom(
                packaging.format("services")
                + BOOT.replace("spring-boot-maven", "maven-shade")
                + needs("dropwizard-core"),
                artifact="top",
            ),
            "services/pom.xml": inner("top", "services", packaging.format("carts")),
            "services/carts/pom.xml": inner("services", "carts", ""),
            "services/carts/carts.yml": "{server: {applicationConnectors: [{port: 1}], adminConnectors: [{port: 2}]}}",
        }
    )
    for here, file in ((root / "services/carts", "carts.yml"), (root / "services", "carts/carts.yml")):
        loaded = config.load(initialise.write(here, force=True))
        assert loaded.source.root.resolve() == root.resolve()
        assert loaded.source.command[-4:] == ("-pl", "services/carts", "-am", "package")
        assert command_of(loaded.target)[-2:] == ("server", file)


class TestAParentBesideAModule:
    """It says what packs the module and what this runs with, whether or not a project around both lists it."""

    WEB = needs("spring-boot-starter-web", "spring-boot-starter-actuator")

    @pytest.fixture
    def files(self, pom):
        def text(place):
            parent = f"<parent><artifactId>base</artifactId>{place}</parent>"
            return {
                ".git/HEAD": "",
                "parent/pom.xml": pom(f"<packaging>pom</packaging>{BOOT}{self.WEB}", artifact="base"),
                "carts/pom.xml": pom(parent, artifact="carts"),
                "carts/src/main/java/shop/Main.java": "class Main { public static void main(String[] a) { } }",
            }

        return text

    @pytest.mark.parametrize("place", ["../parent/pom.xml", "../parent"])
    @pytest.mark.parametrize("folder", [".", "carts"])
    def test_is_read(self, project, pom, files, place, folder):
        modules = "<packaging>pom</packaging><modules><module>parent</module><module>carts</module></modules>"
        root = project({**files(f"<relativePath>{place}</relativePath>"), "pom.xml": pom(modules, artifact="top")})
        text = initialise.write(root / folder, force=True).read_text()
        assert config.load(root / folder / "pacecar.toml").target.ready.path == "/actuator/health"
        assert "packs the libraries" not in text

    @pytest.mark.parametrize("place", ["", "<relativePath/>", "<relativePath>../../../parent</relativePath>"])
    def test_only_where_the_module_says(self, project, files, place):
        root = project(files(place))
        assert config.load(initialise.write(root / "carts", force=True)).target.ready.path != "/actuator/health"

    def test_not_out_of_the_repository(self, project, files):
        root = project(files("<relativePath>../parent</relativePath>"))
        (root / "carts/.git").mkdir()
        assert config.load(initialise.write(root / "carts", force=True)).target.ready.path != "/actuator/health"


def service(name, routes):
    mappings = " ".join(f'@GetMapping("/{name}/{n}") void r{n}() {{}}' for n in range(routes))
    return f"@RestController class {name}Controller {{ public static void main(String[] args) {{}} {mappings} }}"


class TestOfSeveralServices:
    """Packed by their parent: a main method shows what they are."""

    @pytest.fixture
    def files(self, pom):
        def modules(*names):
            return f"<packaging>pom</packaging><modules>{''.join(f'<module>{n}</module>' for n in names)}</modules>"

        return {
            "pom.xml": pom(modules("admin", "services", "common") + BOOT + dependencies("spring-boot-starter-web")),
            "common/pom.xml": pom(artifact="common"),
            "admin/pom.xml": pom(artifact="admin"),
            "admin/src/main/java/org/admin/A.java": service("admin", 1),
            "services/pom.xml": pom(modules("carts"), artifact="services"),
            "services/carts/pom.xml": pom(artifact="carts"),
            "services/carts/src/main/java/org/carts/C.java": service("carts", 2),
        }

    def test_the_one_with_most_to_ask_is_taken_however_deep(self, proposed, files):
        text, loaded = proposed(files)
        assert loaded.source.artifact == "services/carts/target/carts-*.jar"
        assert loaded.source.command[-4:] == ("-pl", "services/carts", "-am", "package")
        assert command_of(loaded.target)[-1] == "--server.port={port}"
        assert "services/carts was chosen as the service; for another: --module, as admin" in text

    def test_another_can_be_named(self, project, files):
        loaded = config.load(initialise.write(project(files), force=True, module="admin"))
        assert loaded.target.name == "admin"

    @pytest.mark.parametrize("module", ["cart", "docs", "services", "common/src", "broken", "../other"])
    def test_one_that_is_none_is_reported(self, project, files, pom, module):
        others = {"docs/index.md": "", "common/src/A.java": "", "broken/pom.xml": "<", "../other/pom.xml": pom(BOOT)}
        with pytest.raises(initialise.InitialiseError, match=f"has no module '{module}'") as caught:
            initialise.propose(project({**files, **others}), module=module)
        hint = "Name one of admin, services/carts, common, as in: pacecar init --module admin"
        assert caught.value.hint == hint

    @pytest.mark.parametrize(
        ("parent", "program"),
        [("<parent><artifactId>shop</artifactId></parent>", "--server.port={port}"), ("", "--port={port}")],
    )
    def test_one_with_a_file_of_its_own_is_built_by_that(self, project, files, pom, parent, program):
        root = project({**files, "samples/demo/pom.xml": pom(parent, artifact="demo")})
        path = initialise.write(root, force=True, module="./samples/demo/")
        loaded = config.load(path)
        assert loaded.source.command[-3:] == ("-f", "samples/demo/pom.xml", "package")
        assert loaded.source.artifact == "samples/demo/target/demo-*.jar"
        assert command_of(loaded.target)[-1] == program, "what its parent says holds for it, too"
        assert "GUESS: samples/demo is not a module of pom.xml, so it is built on its own" in path.read_text()

    def test_in_its_own_folder_the_wrapper_of_the_whole_is_used(self, project, files):
        root = project({**files, "mvnw": "#!/bin/sh\n", ".git/HEAD": ""})
        (root / "mvnw").chmod(0o755)
        loaded = config.parse(initialise.propose(root / "services" / "carts"), root / "services/carts/pacecar.toml")
        assert loaded.source.command[0] == "../../mvnw"
