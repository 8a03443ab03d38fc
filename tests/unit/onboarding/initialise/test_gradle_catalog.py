"""Gradle's catalog of versions: what a script means by its accessors."""

import pytest

from support.gradle_parts import BOOT, SEVERAL

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
            ("apply(plugin = rootProject.libs.plugins.spring.boot.get().pluginId)", "bootJar", "/"),
            ("val all = libs\nsubprojects { plugins.apply(all.plugins.spring.boot.get().pluginId) }", "bootJar", "/"),
            ("def all = rootProject.libs\napply plugin: all.plugins.quarkus.get().pluginId", "quarkusBuild", "/"),
            ("val one = libs.actuator\nx { one.plugins.quarkus }", "assemble", "/actuator/health"),
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
        files = {path: text.replace(BOOT, boot) for path, text in SEVERAL.items()}
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


def test_the_catalog_of_micronaut_is_known_without_a_file(proposed):
    script = """plugins { id("io.micronaut.application") }
        application { mainClass = "shop.App" }
        dependencies { implementation(mn.micronaut.management) ; implementation(mn.micronaut.security.jwt) }"""
    text, loaded = proposed({"build.gradle.kts": script})
    assert loaded.target.ready.path == "/health"
    assert "it has micronaut-security-jwt" in text
