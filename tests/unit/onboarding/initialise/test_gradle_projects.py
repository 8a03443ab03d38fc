"""Gradle builds of several projects: which is the service, what it runs with, and where the others lie."""

import pytest

from pacecar.inputs import config
from pacecar.onboarding import initialise
from support.gradle_parts import BOOT, MAIN, SEVERAL
from support.process_forks import command_of


class TestOfWhatAServiceNeeds:
    """Other projects hold code of one's own, too, and endpoints."""

    ACTUATOR = "org.springframework.boot:spring-boot-starter-actuator:3.5.0"
    CONTROLLER = '@RestController class Prices { @GetMapping("/prices") void all() {} }'

    @pytest.mark.parametrize(
        ("dependencies", "packages"),
        [
            ("implementation project(':web-api')", ("net.pricing", "org.shop")),
            ('implementation(project(":web-api"))', ("net.pricing", "org.shop")),
            ("implementation(project(path: ':web-api'))", ("net.pricing", "org.shop")),
            ("api(projects.webApi)", ("net.pricing", "org.shop")),
            ("testImplementation project(':web-api')", ("org.shop.app",)),
            ("testImplementation 'a:b'; implementation project(':web-api')", ("net.pricing", "org.shop")),
            ("modules.each { implementation project(it) }", ("com.other", "net.pricing", "org.shop")),
            ("", ("org.shop.app",)),
        ],
    )
    def test_is_its_own_code_too(self, proposed, dependencies, packages):
        text, loaded = proposed(
            {
                "settings.gradle": "include 'app', 'web-api', 'pricing', 'other'",
                "app/build.gradle": f"{BOOT}\ndependencies {{ {dependencies} }}",
                "web-api/build.gradle": f"api project(':pricing')\nruntimeOnly project(':app')\napi '{self.ACTUATOR}'",
                "app/src/main/java/org/shop/app/App.java": "",
                "web-api/src/main/java/org/shop/web/Prices.java": self.CONTROLLER,
                "pricing/src/main/java/net/pricing/P.java": "",
                "other/src/main/java/com/other/O.java": "",
            }
        )
        assert loaded.target.application == packages
        assert ("GET /prices" in text) == ("org.shop.app" not in packages)
        assert (loaded.target.ready.path == "/actuator/health") == ("org.shop.app" not in packages)


class TestWhichProjectRuns:
    """A plugin makes it so, which the main script may apply to all."""

    @pytest.mark.parametrize(
        "library",
        [
            "implementation 'org.springframework.boot:spring-boot-starter-web'",
            "plugins { id 'org.springframework.boot' version '3.5.0' apply false }",
            'plugins {\n id("org.springframework.boot").version("3.5.0").apply(false)\n}',
        ],
    )
    def test_not_one_that_only_uses_libraries_of_the_same_name(self, proposed, library):
        text, loaded = proposed(
            {"settings.gradle": "include 'web', 'app'", "web/build.gradle": library, "app/build.gradle": BOOT}
        )
        assert loaded.source.command[-1] == ":app:bootJar"
        assert "--module" not in text

    @pytest.mark.parametrize(("own", "task"), [("", ":app:bootJar"), ("src/main/java/org/shop/Main.java", "bootJar")])
    def test_by_what_the_main_script_says_for_all(self, proposed, own, task):
        _, loaded = proposed(
            {
                "settings.gradle": "include 'web', 'app'",
                "build.gradle": "subprojects { apply plugin: 'org.springframework.boot' }",
                "app/src/main/java/org/shop/app/Main.java": MAIN,
                **({own: MAIN} if own else {}),
            }
        )
        assert loaded.source.command[-1] == task

    def test_by_a_main_method_where_no_plugin_makes_it_so(self, proposed):
        text, loaded = proposed(
            {
                "settings.gradle": "include 'web', 'app'",
                "build.gradle": "allprojects { apply plugin: 'java-library' }",
                "web/src/main/java/org/shop/web/Carts.java": "class Carts { }",
                "app/src/main/java/org/shop/app/Main.java": MAIN,
            }
        )
        assert loaded.source.command[-1] == ":app:assemble"
        assert loaded.source.artifact == "app/build/libs/*.jar"
        assert "apply the plugin `application` with mainClass = org.shop.app.Main, whose task installDist" in text

    def test_a_jar_that_the_script_packs_itself_gets_no_such_advice(self, proposed):
        script = "jar { from { configurations.runtimeClasspath.collect { zipTree(it) } } }"
        text, _ = proposed({"build.gradle": script, "src/main/java/org/shop/Main.java": MAIN})
        assert "that the jar of `assemble` holds all it needs to run" in text
        assert "apply the plugin" not in text

    def test_an_application_whose_script_names_no_class_in_plain_words_starts_from_a_main_method(self, proposed):
        script = "plugins { id 'application' }\napplication { mainClass = \"${pkg}.Main\" }"
        text, loaded = proposed({"build.gradle": script, "src/main/java/org/shop/Main.java": MAIN})
        assert loaded.source.command[-1] == "installDist"
        assert command_of(loaded.target)[-3:-1] == ("{artifact}/lib/*", "org.shop.Main")
        assert "assemble" not in text


class TestOfSeveralProjects:
    """The one that runs, with most to ask, or the one that was named."""

    def test_is_chosen(self, proposed):
        text, loaded = proposed(SEVERAL)
        assert loaded.target.name == "carts"
        assert loaded.source.command[-1] == ":services:carts:bootJar"
        assert loaded.source.artifact == "services/carts/build/libs/*.jar"
        assert loaded.target.application == ("org.carts",)
        assert "services/carts was chosen as the service; for another: --module, as admin" in text

    @pytest.mark.parametrize("build", [BOOT, "apply plugin: 'org.springframework.boot'"])
    def test_in_its_own_folder_is_built_from_above(self, project, build):
        root = project({**SEVERAL, "gradlew": "", ".git/HEAD": "", "services/carts/build.gradle": build})
        (root / "gradlew").chmod(0o755)
        path = initialise.write(root / "services" / "carts", force=True)
        loaded = config.load(path)
        assert loaded.source.root.resolve() == root.resolve()
        assert loaded.source.command == ("./gradlew", "-q", "--no-daemon", ":services:carts:bootJar")
        assert loaded.source.artifact == "services/carts/build/libs/*.jar"
        assert (
            "# GUESS: it belongs to the build in ../.., so it is built from there, see source.root" in path.read_text()
        )

    @pytest.mark.parametrize("apart", ["services/carts/settings.gradle", "services/carts/.git/HEAD"])
    def test_may_be_a_build_of_its_own_in_its_own_folder(self, project, apart):
        root = project({**SEVERAL, ".git/HEAD": "", apart: ""})
        loaded = config.load(initialise.write(root / "services" / "carts", force=True))
        assert loaded.source.command[-1] == "bootJar"
        assert loaded.source.root.resolve() == (root / "services/carts").resolve()

    def test_is_named(self, project):
        root = project(SEVERAL)
        loaded = config.load(initialise.write(root, force=True, module="admin/"))
        assert loaded.source.artifact == "admin/build/libs/*.jar"

    @pytest.mark.parametrize("module", ["services/carts", "./services//carts/", "{root}/services/carts"])
    def test_is_named_in_any_way(self, project, module):
        root = project(SEVERAL)
        loaded = config.load(initialise.write(root, force=True, module=module.format(root=root)))
        assert loaded.source.command[-1] == ":services:carts:bootJar"

    @pytest.mark.parametrize("module", ["services", "docs", "gone", "../other", "out of order"])
    def test_is_never_another_one_than_was_named(self, project, module):
        others = {"docs/index.md": "", "../other/build.gradle": BOOT, "out of order/build.gradle": BOOT}
        root = project({**SEVERAL, **others})
        with pytest.raises(initialise.InitialiseError, match=f"has no module '{module}'") as caught:
            initialise.propose(root, module=module)
        assert caught.value.hint == "Name one of common, services/carts, admin, as in: pacecar init --module common"

    def test_may_be_included_in_other_words(self, project):
        root = project({**SEVERAL, "jobs/night/build.gradle": BOOT})
        path = initialise.write(root, force=True, module="jobs/night")
        loaded = config.load(path)
        assert loaded.source.command[-1] == ":jobs:night:bootJar"
        assert loaded.source.artifact == "jobs/night/build/libs/*.jar"
        assert "GUESS: that the settings, which do not name jobs/night in plain words, include it" in path.read_text()

    @pytest.mark.parametrize(
        "files",
        [
            {**SEVERAL, "samples/shop/settings.gradle": "rootProject.name = 'shop'"},
            {path: text for path, text in SEVERAL.items() if path != "settings.gradle"},
        ],
    )
    @pytest.mark.parametrize("wrapper", ["./gradlew", "./samples/shop/gradlew"])
    def test_may_be_a_build_of_its_own(self, project, files, wrapper):
        root = project({**files, "samples/shop/build.gradle": BOOT, "gradlew": "", wrapper: ""})
        for path in (root / "gradlew", root / wrapper):
            path.chmod(0o755)
        loaded = config.load(initialise.write(root, force=True, module="samples/shop"))
        assert loaded.target.name == "shop"
        assert loaded.source.command == (wrapper, "-q", "--no-daemon", "-p", "samples/shop", "bootJar")
        assert loaded.source.artifact == "samples/shop/build/libs/*.jar"


@pytest.mark.parametrize(
    "each", ['children.each {it.name="shop-${it.name}"}', 'children.forEach { p -> p.name = "shop-${p.name}" }']
)
def test_projects_may_be_renamed_all_together(proposed, each):
    _, loaded = proposed(
        {
            "settings.gradle": f"include 'server', 'rest'\nrootProject.{each}",
            "server/build.gradle": "plugins { id 'application' }\nmainClass = 'shop.Main'\n"
            "dependencies { implementation project(':shop-rest') }",
            "rest/src/main/java/shop/A.java": '@RestController class A { @GetMapping("/a") void a() {} }',
        }
    )
    assert loaded.source.command[-1] == ":shop-server:installDist"
    assert loaded.source.artifact == "server/build/install/shop-server"
    assert [each.path for each in loaded.scenario.endpoints] == ["/a"]


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("settings.gradle", "include ':common', // no service\n  ':services:carts',\n\n  'admin'"),
        ("settings.gradle", "include 'common', 'services:carts'; include 'admin', /* all */\n"),
        ("settings.gradle.kts", 'include(\n    ":common",\n    ":services:carts",\n    ":admin",\n)\n'),
        ("settings.gradle.kts", 'settings.include("common")\ninclude("services:carts"); include("../../out", "admin")'),
    ],
)
def test_projects_may_stand_on_lines_of_their_own(proposed, name, settings):
    text, loaded = proposed({**{path: it for path, it in SEVERAL.items() if path != "settings.gradle"}, name: settings})
    assert loaded.source.command[-1] == ":services:carts:bootJar"
    assert "for another: --module, as admin" in text


class TestAFolderOfItsOwn:
    """Settings may say where a project lies; tasks are called by its path all the same."""

    @pytest.mark.parametrize(
        "line",
        [
            "project(':carts').projectDir = file('services/carts-app')",
            "project(':carts').projectDir = new File(settingsDir, './services/carts-app')",
            'project(":carts").projectDir = File(rootDir, "services/carts-app")',
            'project(":carts").projectDir = file("$rootDir/services/carts-app")',
            'project(":carts").projectDir = file("${rootProject.projectDir}/services/carts-app")',
            'project(":carts").projectDir = rootDir.resolve("services/carts-app")',
            'project(":carts").apply { projectDir = file("services/carts-app") }',
        ],
    )
    @pytest.mark.parametrize("module", [None, "services/carts-app"])
    def test_is_where_it_is_looked_for(self, project, line, module):
        root = project(
            {
                "settings.gradle": f"include ':carts', ':web'\n{line}",
                "services/carts-app/build.gradle": f"{BOOT}\nimplementation project(':web')",
                "services/carts-app/src/main/java/shop/carts/App.java": "",
                "web/src/main/java/shop/web/A.java": '@RestController class A { @GetMapping("/a") void a() {} }',
            }
        )
        loaded = config.load(initialise.write(root, force=True, module=module))
        assert loaded.target.name == "carts"
        assert loaded.source.command[-1] == ":carts:bootJar"
        assert loaded.source.artifact == "services/carts-app/build/libs/*.jar"
        assert [each.path for each in loaded.scenario.endpoints] == ["/a"]

    def test_may_be_that_of_a_library(self, proposed):
        _, loaded = proposed(
            {
                "settings.gradle": "include 'app', 'web'\nproject(':web').projectDir = file('libs/web-api')",
                "app/build.gradle": f"{BOOT}\nimplementation project(':web')",
                "libs/web-api/src/main/java/shop/A.java": '@RestController class A { @GetMapping("/a") void a() {} }',
            }
        )
        assert [each.path for each in loaded.scenario.endpoints] == ["/a"]

    @pytest.mark.parametrize("folder", ["../carts", "/etc", "a/../../carts"])
    def test_outside_of_the_build_is_not_read(self, proposed, folder):
        text, loaded = proposed(
            {
                "settings.gradle": f"include 'carts'\nproject(':carts').projectDir = file('{folder}')",
                "../carts/build.gradle": BOOT,
            }
        )
        assert loaded.source.command[-1] == "assemble"
        assert "../carts" not in text
