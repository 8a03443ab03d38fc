"""Gradle projects."""

import pytest

from pacecar.inputs import config
from pacecar.onboarding import initialise
from support.process_forks import command_of

BOOT = 'plugins { id("org.springframework.boot") }'
MAIN = 'package org.shop; class Main { public static void main(String[] args) { app.get("/a", x); } }'


FILES = {
    "settings.gradle": "include ':common', ':services:carts'\ninclude(\":admin\")\ninclude '../../out'",
    "build.gradle": "subprojects { apply plugin: 'java' }",
    "common/build.gradle": "",
    "admin/build.gradle": BOOT,
    "services/carts/build.gradle": BOOT,
    "services/carts/src/main/java/org/carts/CartController.java": """
        @RestController class Carts { @GetMapping("/carts") void all() {} }""",
}


def test_spring_boot(project, proposed):
    project({"gradlew": "#!/bin/sh\n"}).joinpath("gradlew").chmod(0o755)
    _, loaded = proposed(
        {
            "settings.gradle.kts": 'rootProject.name = "cart service"',
            "build.gradle.kts": """
                plugins { id("org.springframework.boot") }
                dependencies { implementation("org.springframework.boot:spring-boot-starter-actuator") }
                """,
            "src/main/kotlin/shop/cart/App.kt": "",
        }
    )
    assert loaded.target.name == "cart-service"
    assert loaded.target.ready.path == "/actuator/health"
    assert loaded.source.command == ("./gradlew", "-q", "--no-daemon", "bootJar")
    assert loaded.source.artifact == "build/libs/*.jar"
    assert loaded.target.application == ("shop.cart",)


def test_plain(proposed):
    text, loaded = proposed({"build.gradle": "apply plugin: 'java'"})
    assert loaded.source.command == ("gradle", "-q", "--no-daemon", "assemble")
    assert "GUESS: that it takes its port this way" in text
    assert "GUESS: that the jar of `assemble` holds all it needs to run" in text


def test_an_application_is_installed_as_a_folder(proposed):
    _, loaded = proposed(
        {
            "settings.gradle": "rootProject.name = 'carts'",
            "build.gradle": "plugins { id 'application' }\nmainClassName = 'org.shop.Main' // application",
            "src/main/java/org/shop/Main.java": MAIN,
        }
    )
    assert loaded.source.command[-1] == "installDist"
    assert loaded.source.artifact == "build/install/carts"
    assert command_of(loaded.target)[-4:-1] == ("-cp", "{artifact}/lib/*", "org.shop.Main")


WAR_PLUGINS = ["id 'war'", 'id("war")', "war", "`war`", "}; apply plugin: 'war'; java {"]


class TestWar:
    """With the plugin for it, a war is what runs."""

    @pytest.mark.parametrize("plugin", WAR_PLUGINS)
    def test_of_spring_boot(self, proposed, plugin):
        text, loaded = proposed({"build.gradle": f"plugins {{\n id 'org.springframework.boot'\n {plugin}\n}}"})
        assert (loaded.source.command[-1], loaded.source.artifact) == ("bootWar", "build/libs/*.war")
        assert "starts by itself" not in text

    def test_of_no_server(self, proposed):
        text, loaded = proposed({"build.gradle": "apply plugin: 'war'"})
        assert (loaded.source.command[-1], loaded.source.artifact) == ("war", "build/libs/*.war")
        assert "GUESS: that the war starts by itself" in text

    @pytest.mark.parametrize("line", ["// id 'war'", "exclude '**/*.war'", "description = 'a war game'"])
    def test_that_is_only_spoken_of(self, proposed, line):
        _, loaded = proposed({"build.gradle": f"plugins {{ id 'org.springframework.boot' }}\n{line}"})
        assert loaded.source.command[-1] == "bootJar"


class TestOtherScripts:
    """A script may apply others, by their paths or as plugins of the build's own."""

    @pytest.mark.parametrize(
        ("line", "place"),
        [
            ("apply from: 'more.gradle'", "app/more.gradle"),
            ('apply(from = "more.gradle.kts")', "app/more.gradle.kts"),
            ("apply from: '../gradle/more.gradle'", "gradle/more.gradle"),
            ('apply from: "$rootDir/gradle/more.gradle"', "gradle/more.gradle"),
            ('apply from: "${rootProject.projectDir}/more.gradle"', "more.gradle"),
            ("apply from: rootProject.file('more.gradle')", "more.gradle"),
            ("plugins { id 'shop.service' }", "buildSrc/src/main/groovy/shop.service.gradle"),
            ('plugins { id("shop.service") }', "buildSrc/src/main/kotlin/shop.service.gradle.kts"),
            ("plugins { `shop.service` }", "logic/convention/src/main/kotlin/shop.service.gradle.kts"),
            ("plugins { id 'shop.other' }", "buildSrc/src/main/groovy/shop.service.gradle"),
        ],
    )
    def test_say_what_a_service_is(self, proposed, line, place):
        _, loaded = proposed(
            {
                "settings.gradle": "pluginManagement { includeBuild('logic') }\ninclude 'app'",
                "app/build.gradle": line,
                "buildSrc/src/main/groovy/shop.other.gradle": "plugins { id 'shop.service' }",
                place: f"{BOOT}\nimplementation 'org.springframework.boot:spring-boot-starter-actuator'",
            }
        )
        assert (loaded.source.command[-1], loaded.target.ready.path) == (":app:bootJar", "/actuator/health")

    @pytest.mark.parametrize("path", ["../outside.gradle", "{tmp}/outside.gradle", "build.gradle", "gone.gradle"])
    def test_outside_of_the_build_are_not_read(self, proposed, tmp_path, path):
        (tmp_path / "outside.gradle").write_text(BOOT)
        _, loaded = proposed({"build.gradle": f"apply from: '{path.format(tmp=tmp_path)}'"})
        assert loaded.source.command[-1] == "assemble"


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


def test_one_large_jar(proposed):
    _, loaded = proposed({"build.gradle.kts": 'plugins { application; id("com.gradleup.shadow") version "9.0.0" }'})
    assert (loaded.source.command[-1], loaded.source.artifact) == ("shadowJar", "build/libs/*-all.jar")


def test_quarkus(proposed):
    _, loaded = proposed(
        {
            "build.gradle": """
                plugins { id 'io.quarkus' }
                dependencies { implementation 'io.quarkus:quarkus-smallrye-health:3.27.2' }
                """
        }
    )
    assert (loaded.source.command[-1], loaded.source.artifact) == ("quarkusBuild", "build/quarkus-app")
    assert loaded.target.ready.path == "/q/health/ready"


class TestOfSeveralProjects:
    """The one that runs, with most to ask, or the one that was named."""

    def test_is_chosen(self, proposed):
        text, loaded = proposed(FILES)
        assert loaded.target.name == "carts"
        assert loaded.source.command[-1] == ":services:carts:bootJar"
        assert loaded.source.artifact == "services/carts/build/libs/*.jar"
        assert loaded.target.application == ("org.carts",)
        assert "services/carts was chosen as the service; for another: --module, as admin" in text

    @pytest.mark.parametrize("build", [BOOT, "apply plugin: 'org.springframework.boot'"])
    def test_in_its_own_folder_is_built_from_above(self, project, build):
        root = project({**FILES, "gradlew": "", ".git/HEAD": "", "services/carts/build.gradle": build})
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
        root = project({**FILES, ".git/HEAD": "", apart: ""})
        loaded = config.load(initialise.write(root / "services" / "carts", force=True))
        assert loaded.source.command[-1] == "bootJar"
        assert loaded.source.root.resolve() == (root / "services/carts").resolve()

    def test_is_named(self, project):
        root = project(FILES)
        loaded = config.load(initialise.write(root, force=True, module="admin/"))
        assert loaded.source.artifact == "admin/build/libs/*.jar"

    @pytest.mark.parametrize("module", ["services/carts", "./services//carts/", "{root}/services/carts"])
    def test_is_named_in_any_way(self, project, module):
        root = project(FILES)
        loaded = config.load(initialise.write(root, force=True, module=module.format(root=root)))
        assert loaded.source.command[-1] == ":services:carts:bootJar"

    @pytest.mark.parametrize("module", ["services", "docs", "gone", "../other", "out of order"])
    def test_is_never_another_one_than_was_named(self, project, module):
        root = project({**FILES, "docs/index.md": "", "../other/build.gradle": BOOT, "out of order/build.gradle": BOOT})
        with pytest.raises(initialise.InitialiseError, match=f"has no module '{module}'") as caught:
            initialise.propose(root, module=module)
        assert caught.value.hint == "Name one of common, services/carts, admin, as in: pacecar init --module common"

    def test_may_be_included_in_other_words(self, project):
        root = project({**FILES, "jobs/night/build.gradle": BOOT})
        path = initialise.write(root, force=True, module="jobs/night")
        loaded = config.load(path)
        assert loaded.source.command[-1] == ":jobs:night:bootJar"
        assert loaded.source.artifact == "jobs/night/build/libs/*.jar"
        assert "GUESS: that the settings, which do not name jobs/night in plain words, include it" in path.read_text()

    @pytest.mark.parametrize(
        "files",
        [
            {**FILES, "samples/shop/settings.gradle": "rootProject.name = 'shop'"},
            {path: text for path, text in FILES.items() if path != "settings.gradle"},
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
    ("line", "place"),
    [
        ("apply plugin: ServicePlugin", "buildSrc/src/main/groovy/ServicePlugin.groovy"),
        ("apply(plugin = ServicePlugin::class)", "buildSrc/src/main/kotlin/ServicePlugin.kt"),
        ("apply<ServicePlugin>()", "buildSrc/src/main/java/ServicePlugin.java"),
    ],
)
def test_a_plugin_may_be_a_class_of_the_build(proposed, line, place):
    _, loaded = proposed(
        {
            "settings.gradle": "include 'carts'",
            "carts/build.gradle": line,
            place: 'class ServicePlugin { void a(Project p) { p.pluginManager.apply("org.springframework.boot") } }',
        }
    )
    assert loaded.source.command[-1] == ":carts:bootJar"


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


def test_a_script_that_is_commented_out_says_nothing(proposed):
    _, loaded = proposed({"build.gradle": "/* id 'org.springframework.boot' */ // io.quarkus"})
    assert loaded.source.command[-1] == "assemble"


@pytest.mark.parametrize(
    "line",
    [
        "test { exclude '**/*IT.class' }",
        'sourceSets { main { java { exclude("**/*.txt") } } }',
        "repositories { maven { url 'https://repo.org/x' }; maven { url \"https://repo.org/${v('/*')}\" } }",
        "description = '''it's /* \" '''",
        'description = """a "text" // /* """',
        "description = 'isn\\'t // /*'",
    ],
)
def test_a_text_opens_no_comment(proposed, line):
    _, loaded = proposed({"build.gradle": f"{line} ; apply plugin: 'org.springframework.boot' /* id 'io.quarkus' */"})
    assert loaded.source.command[-1] == "bootJar"


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
    text, loaded = proposed({**{path: it for path, it in FILES.items() if path != "settings.gradle"}, name: settings})
    assert loaded.source.command[-1] == ":services:carts:bootJar"
    assert "for another: --module, as admin" in text


CATALOG = """
    [versions]
    boot = "3.4.1"
    [libraries]
    actuator = { module = "org.springframework.boot:spring-boot-starter-actuator" }
    micrometer-registry_prometheus = "io.micrometer:micrometer-registry-prometheus:1.14.2"
    quarkus-health = { group = "io.quarkus", name = "quarkus-smallrye-health", version.ref = "boot" }
    [bundles]
    watching = ["actuator", "micrometer-registry_prometheus"]
    [plugins]
    spring-boot = { id = "org.springframework.boot", version.ref = "boot" }
    quarkus = "io.quarkus:3.27.2"
    """


class TestCatalog:
    """A catalog of versions names plugins and libraries; a script means them by accessors."""

    @pytest.mark.parametrize(
        ("script", "task", "ready"),
        [
            ("plugins { alias(libs.plugins.spring.boot) }", "bootJar", "/"),
            ("apply plugin: libs.plugins.spring.boot.get().pluginId", "bootJar", "/"),
            (
                "plugins { alias(libs.plugins.spring.boot) }; implementation libs.actuator",
                "bootJar",
                "/actuator/health",
            ),
            ("plugins { alias(libs.plugins.spring.boot) }; api(libs.bundles.watching)", "bootJar", "/actuator/health"),
            ("plugins { alias(libs.plugins.quarkus) }; api(libs.quarkus.health)", "quarkusBuild", "/q/health/ready"),
            ("plugins { alias(libs.plugins.unknown) }; // libs.plugins.quarkus", "assemble", "/"),
            ("plugins { id 'java' }; mylibs.plugins.quarkus; x.libs.quarkus.health", "assemble", "/"),
        ],
    )
    def test_is_read(self, proposed, script, task, ready):
        _, loaded = proposed({"gradle/libs.versions.toml": CATALOG, "build.gradle": script})
        assert (loaded.source.command[-1], loaded.target.ready.path) == (task, ready)

    def test_metrics_of_a_bundle(self, proposed):
        script = "plugins { alias(libs.plugins.spring.boot) }\ndependencies { implementation(libs.bundles.watching) }"
        text, _ = proposed({"gradle/libs.versions.toml": CATALOG, "build.gradle.kts": script})
        assert '# metrics = "/actuator/prometheus"' in text

    def test_holds_for_all_projects(self, proposed):
        boot = "plugins { alias(libs.plugins.spring.boot) }"
        files = {path: text.replace(BOOT, boot) for path, text in FILES.items()}
        _, loaded = proposed({**files, "gradle/libs.versions.toml": CATALOG})
        assert loaded.source.command[-1] == ":services:carts:bootJar"

    @pytest.mark.parametrize(
        "catalog",
        [
            "[plugins",
            "plugins = 1\nlibraries = []\nbundles = { a = 1, b = [1, 'gone'] }",
            "[plugins]\na = 1\nspring-boot = { id = 2 }\nb = { id = \"x' ; id 'io.quarkus\" }\nc = ''",
            pytest.param("a = " + "[" * 10_000, id="deep"),
            b"\xff\xfe\x00",
        ],
    )
    def test_that_is_none(self, proposed, catalog):
        script = (
            "plugins { alias(libs.plugins.spring.boot); alias(libs.plugins.b); alias(libs.plugins.c) }; libs.bundles.b"
        )
        _, loaded = proposed({"gradle/libs.versions.toml": catalog, "build.gradle": script})
        assert loaded.source.command[-1] == "assemble"


@pytest.mark.parametrize("named", ['archiveClassifier.set("fat")', 'archiveFileName = "app.jar"', "classifier 'fat'"])
def test_the_shadow_jar_may_have_another_name(proposed, named):
    script = f"plugins {{ id 'com.gradleup.shadow' version '8.3' }}\nshadowJar {{ {named} }}"
    _, loaded = proposed({"build.gradle": script})
    assert loaded.source.artifact == "build/libs/*.jar"
