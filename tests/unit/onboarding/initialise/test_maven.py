"""Maven projects of one module: what is proposed for them, and files that are not to be trusted."""

import pytest

from pacecar.onboarding.initialise.pom import UnreadablePom, read_pom
from support.maven_parts import dependencies, plugin
from support.process_forks import command_of

BOOT = plugin("spring-boot-maven-plugin")


def test_a_spring_boot_service_with_everything(proposed, pom):
    text, loaded = proposed(
        {
            "pom.xml": pom(BOOT + dependencies("spring-boot-starter-actuator", "micrometer-registry-prometheus")),
            "src/main/resources/application.yaml": """
                management:
                  endpoint.health.probes.enabled: true
                  endpoints: {web: {exposure: {include: [health, prometheus]}}}
                """,
            "src/main/java/org/shop/cart/Cart.java": "package org.shop.cart;",
            "src/main/java/org/shop/App.java": "package org.shop;",
            ".git/HEAD": "",
        }
    )
    assert loaded.target.name == "shop"
    assert command_of(loaded.target)[-2:] == ("{artifact}", "--server.port={port}")
    assert loaded.target.ready.path == "/actuator/health/readiness"
    assert loaded.target.metrics_path == "/actuator/prometheus"
    assert loaded.target.application == ("org.shop",)
    assert loaded.source.command == ("mvn", "-q", "-B", "-DskipTests", "package")
    assert loaded.source.artifact == "target/shop-*.jar"
    assert (loaded.baseline, loaded.candidate) == ("ref:HEAD", "worktree")
    assert text.count("GUESS") == 4, "the version, the rate, the endpoint and the word's explanation"


def test_what_is_not_turned_on_is_not_relied_on(proposed, pom):
    body = BOOT + dependencies("spring-boot-starter-actuator", "micrometer-registry-prometheus")
    text, loaded = proposed({"pom.xml": pom(body)})
    assert loaded.target.ready.path == "/actuator/health"
    assert loaded.target.metrics_path is None
    assert "management.endpoints.web.exposure.include" in text
    assert loaded.baseline is None
    assert loaded.target.application == ("org.shop",), "the group, without sources"


def test_a_service_without_health_page_is_asked_for_a_page_it_has(proposed, pom):
    controller = '@RestController class A { @GetMapping("/list/{id}") void a() {} @GetMapping("/list") void b() {} }'
    text, loaded = proposed({"pom.xml": pom(BOOT), "src/main/java/A.java": controller})
    assert loaded.target.ready.path == "/list"
    assert "GUESS: no health page was found (Spring's spring-boot-starter-actuator has one)." in text


def test_where_every_page_needs_made_up_values_the_one_with_least_is_tried(proposed, pom):
    controller = """@RestController class A {
        @GetMapping("/a/{id}/{name}") void a(@PathVariable long id, @PathVariable String name) {}
        @GetMapping("/b/{id}") void b(@PathVariable long id) {} }"""
    text, loaded = proposed({"pom.xml": pom(BOOT), "src/main/java/A.java": controller})
    assert loaded.target.ready.path == "/b/1"
    assert (
        "# GUESS to look at first: no page without made-up values was found, and this one may well answer 404." in text
    )


@pytest.mark.parametrize(
    ("folder", "settings", "ready"),
    [
        ("static", "", "/shop/index.html"),
        ("META-INF/resources", "", "/shop/index.html"),
        ("templates", "", "/shop/a/1"),
        ("static", "spring.web.resources.add-mappings=false", "/shop/a/1"),
    ],
)
def test_a_first_page_is_asked_for_where_others_need_made_up_values(proposed, pom, folder, settings, ready):
    text, loaded = proposed(
        {
            "pom.xml": pom(BOOT),
            "src/main/resources/application.properties": f"server.servlet.context-path=/shop\n{settings}",
            f"src/main/resources/{folder}/index.html": "<html/>",
            "src/main/java/shop/A.java": '@RestController class A { @GetMapping("/a/{id}") void a() {} }',
        }
    )
    assert loaded.target.ready.path == ready
    assert ("look at first" in text) == (ready != "/shop/index.html")


def test_a_page_of_its_own_says_when_a_service_of_a_framework_is_up(proposed, pom):
    source = '@RestController class A { @GetMapping("/a") void a() {} @GetMapping("/healthz") void h() {} }'
    text, loaded = proposed({"pom.xml": pom(BOOT), "src/main/java/shop/A.java": source})
    assert loaded.target.ready.path == "/healthz"
    assert [endpoint.path for endpoint in loaded.scenario.endpoints] == ["/a"]
    assert "/healthz was chosen by its name" in text


def test_the_wrapper_is_used_where_it_can_be_run(project, proposed, pom):
    project({"mvnw": "#!/bin/sh\n"}).joinpath("mvnw").chmod(0o755)
    _, loaded = proposed({"pom.xml": pom(BOOT)})
    assert loaded.source.command[0] == "./mvnw"


def laughs():
    entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    return f'<!DOCTYPE project [<!ENTITY l0 "ha">{entities}]>'


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (lambda pom: pom("<name>&l9;</name>", head=laughs()), "it declares a document type"),
        (lambda pom: pom(head='<!DOCTYPE p SYSTEM "file:///etc/passwd">'), "it declares a document type"),
        (lambda pom: pom(head="<!DOCTYPE p>").encode("utf-16"), "it is not XML|it declares a document type"),
        (lambda pom: pom(" " * 2_000_000), "larger than 1 MiB"),
        (lambda pom: pom()[:-5], "it is not XML"),
        (lambda pom: pom("<name>&unknown;</name>"), "it is not XML"),
        (lambda pom: b"\xff\xfe\x00", "it is not XML"),
        (lambda pom: b"", "it is not XML"),
        (lambda pom: b'<?xml version="1.0" encoding="no-such"?><project/>', "it is not XML"),
    ],
)
def test_a_project_file_that_is_not_to_be_trusted(project, proposed, pom, content, reason):
    content = content(pom)
    root = project({"pom.xml": content})
    with pytest.raises(UnreadablePom, match=reason):
        read_pom(root / "pom.xml")
    text, loaded = proposed({})
    assert "GUESS: pom.xml was not used" in text
    assert loaded.target.name == "shop-service"
    assert loaded.source is None
