"""Gradle projects: the task that makes what runs, and scripts that say so elsewhere."""

import pytest

from support.gradle_parts import BOOT, MAIN
from support.process_forks import command_of


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


@pytest.mark.parametrize("named", ['archiveClassifier.set("fat")', 'archiveFileName = "app.jar"', "classifier 'fat'"])
def test_the_shadow_jar_may_have_another_name(proposed, named):
    script = f"plugins {{ id 'com.gradleup.shadow' version '8.3' }}\nshadowJar {{ {named} }}"
    _, loaded = proposed({"build.gradle": script})
    assert loaded.source.artifact == "build/libs/*.jar"


@pytest.mark.parametrize(("main", "task"), [(MAIN, "bootJar"), ("class Main { }", "assemble")])
def test_a_plugin_of_ones_own_may_apply_that_of_spring_boot(proposed, main, task):
    script = """plugins { id("org.shop.service") version "1" }
        dependencies { implementation("org.springframework.boot:spring-boot-starter-web") }"""
    text, loaded = proposed({"build.gradle.kts": script, "src/main/java/org/shop/Main.java": main})
    assert loaded.source.command[-1] == task
    assert ("GUESS: that a plugin of its own applies Spring Boot's" in text) == (task == "bootJar")
