"""Projects whose files cost more than they are long."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pacecar.onboarding.initialise import files
from pacecar.onboarding.initialise.examine import examine
from pacecar.onboarding.initialise.settings import read_settings
from pacecar.onboarding.initialise.spring_settings import read_spring_settings

RESOURCES = "src/main/resources/"
CATALOG = "gradle/libs.versions.toml"
SOURCES = "src/main/java/shop/Orders.java"
POM = "<project><artifactId>a</artifactId><version>1</version></project>"
DROPWIZARD = "library.yml"
WEB_XML = "src/main/webapp/WEB-INF/web.xml"
DEPENDENCIES = "".join(
    f"<dependency><artifactId>{name}</artifactId></dependency>" for name in ("dropwizard-core", "dropwizard-migrations")
)
MIB = 1 << 20

HOSTILE = {
    "entities": ("pom.xml", '<!DOCTYPE a [<!ENTITY b "x"><!ENTITY c "&b;&b;">]><project>&c;</project>'),
    "a name filled in again and again": (
        "pom.xml",
        "<project><artifactId>" + "x" * 400_000 + "</artifactId><build><finalName>" + "${artifactId}" * 30_000
        + "</finalName></build></project>",
    ),
    "deep elements": ("pom.xml", "<project>" + "<a>" * 200_000),
    "modules": ("pom.xml", "<project><packaging>pom</packaging><modules>" + "<module>.</module>" * 30_000
                + "</modules></project>"),
    "an attribute of a megabyte": ("pom.xml", f'<project a="{"x" * 900_000}"/>'),
    "aliases of a list": (RESOURCES + "application.yml", "a: &a [" + "xxxxxxxx," * 20_000 + "]\n"
                          + "".join(f"k{number}: *a\n" for number in range(4000))),
    "aliases of aliases": (RESOURCES + "application.yml", "a0: &a0 [x]\n"
                           + "".join(f"a{n + 1}: &a{n + 1} [*a{n}, *a{n}, *a{n}]\n" for n in range(60))),
    "a table in itself": (RESOURCES + "application.yml", "a: &a\n  b: *a\n"),
    "a long name of many": (RESOURCES + "application.yml", "a: &a\n" + "".join(f"  k{n}: 1\n" for n in range(3000))
                            + f"{'x' * 900}: *a\n" * 20),
    "deep YAML": (RESOURCES + "application.yml", "[" * 100_000),
    "deep blocks": (RESOURCES + "application.yml", "".join(" " * n + "a:\n" for n in range(700))),
    "a letter beyond all letters": (RESOURCES + "application.yml", 'a: "\\UFFFFFFFF"'),
    "aliases in place of texts": (RESOURCES + "openapi.yaml", "a0: &a0 [x]\n"
                                  + "".join(f"a{n + 1}: &a{n + 1} [" + f"*a{n}, " * 9 + "]\n" for n in range(12))
                                  + "basePath: *a12\npaths: {/a: {get: {parameters: [{name: a, in: query, "
                                  "required: *a12}, {name: b, in: path, format: *a12, type: *a12}]}}}\n"),
    "a tag that makes an object": (RESOURCES + "application.yml", "a: !!python/object/apply:os.system ['touch x']"),
    "blanks in a property": (RESOURCES + "application.properties", "a=b" + " " * (MIB - 100) + "x"),
    "blanks before no sign": (RESOURCES + "application.properties", "a" + " " * (MIB - 100) + "x"),
    "tabs before a property": (RESOURCES + "application.properties", "\t" * (MIB - 100)),
    "documents of properties": (RESOURCES + "application.properties", "#---\na=b\n" * 100_000),
    "parameters by alias": (RESOURCES + "openapi.yaml", "paths:\n  /a: &a\n    get: &g {parameters: &p ["
                            + "{name: a, in: query, required: true}," * 3000 + "]}\n"
                            + "".join(f"  /p{n}: *a\n" for n in range(2000))),
    "deep JSON": (RESOURCES + "openapi.json", '{"paths":' * 80_000),
    "a reference of many steps": (RESOURCES + "openapi.json",
                                  '{"paths":{"/a":{"get":{"parameters":[{"$ref":"#' + "/a" * 200_000 + '"}]}}}}'),
    "ports": (SOURCES, 'class A { static void main() { System.getenv("' + "PORT" * 200_000),
    "a property of ports": (SOURCES, 'class A { void a() { getProperty("' + "port." * 200_000),
    "many ports": (SOURCES, 'class A { void a() { ' + 'getenv("A_PORT"); getProperty("a.port"); ' * 20_000),
    "open parentheses": (SOURCES, "@RestController class A { " + "@GetMapping(" * 60_000),
    "open texts": (SOURCES, '@RestController class A { @GetMapping("' + '"a' * 300_000),
    "comments": (SOURCES, "@RestController class A { @GetMapping " + "/*" * 400_000),
    "parameters": (SOURCES, "@RestController class A { @GetMapping void a(" + "@RequestParam " * 60_000),
    "classes in classes": (SOURCES, "@RestController class A { " * 30_000 + '@GetMapping("/a") void a() {} '),
    "classes without a body": (SOURCES, "@RestController class A " * 30_000 + '{ @GetMapping("/a") void a() {} '),
    "parentheses in parentheses": (SOURCES, "@RestController class A { " + "@GetMapping" + "(" * 800_000),
    "types in types": (SOURCES, "@RestController class A { " + "@GetMapping void a(@RequestParam " + "<" * 800_000),
    "constants that double": (SOURCES, '@RestController class A { static final String A0 = "aa"; '
                              + "".join(f"static final String A{n + 1} = A{n} + A{n}; " for n in range(9_000))
                              + "@GetMapping(A100) void a() {}"),
    "a sum without an end": (SOURCES, "@RestController class A { @GetMapping(B) void a() {} "
                             + 'static final String B = ' + '"a" + ' * 150_000),
    "an open block of text": (SOURCES, '@RestController class A { @GetMapping("""' + '"" ' * 300_000),
    "texts in texts": (SOURCES, '@RestController class A { @GetMapping("' + '${"' * 300_000),
    "quotation marks": (SOURCES, "@RestController class A { @GetMapping(" + "'" * 900_000),
    "routes in routes": (SOURCES, "import io.ktor.*; fun Route.a() { " + 'route("a") { get { } a() ' * 30_000),
    "routes of functions": (SOURCES, "import io.ktor.*;" + "".join(
        f'fun Route.f{n}() {{ route("a") {{ f{n + 1}() f{n + 2}() f0() }} get("/{n}") {{ }} }} ' for n in range(9_000)
    )),
    "resources in resources": (SOURCES, "import io.ktor.*; " + '@Resource("a") class A(val a: A = A()) { ' * 20_000),
    "annotations of JAX-RS": (SOURCES, "import ws.rs; class A { " + "@GET @Path(\"{a:{}}\") " * 30_000),
    "includes": ("settings.gradle", "include " + "':a'," * 150_000),
    "includes on lines": ("settings.gradle", "include(\n" + "'a',\n" * 150_000),
    "blank lines of settings": ("settings.gradle", "\n" * 900_000),
    "open includes": ("settings.gradle", "include " * 100_000),
    "an open block of a script": ("build.gradle", "'''" + "'' " * 300_000),
    "texts in texts of a script": ("build.gradle", '"${' * 300_000),
    "a deep catalog": (CATALOG, "[plugins]\na = " + "[" * 200_000),
    "a dotted catalog": (CATALOG, "[plugins]\n" + "a." * 100_000 + "b = 1"),
    "bundles of bundles": (CATALOG, "[libraries]\na = 'b:c'\n[bundles]\n"
                           + "".join(f"a{n} = [" + "'a'," * 300 + "]\n" for n in range(180))),
    "words": ("build.gradle", "a" * 900_000),
    "an open comment": ("build.gradle", "/*" * 400_000),
    "needs": ("build.gradle", "project( " * 100_000),
    "a long need": ("build.gradle", "project('" + "a" * 900_000),
    "accessors of projects": ("build.gradle", "projects." * 100_000),
    "a script that applies itself": ("build.gradle", "apply from: 'build.gradle'\n" * 30_000),
    "an open script": ("build.gradle", "apply from: '" + "../" * 300_000),
    "projects renamed": ("settings.gradle", 'rootProject.children.each { name = "a-${' * 20_000),
    "open classes of plugins": ("build.gradle", "apply<A" * 140_000 + " apply plugin: " * 5_000),
    "parents in a circle": ("pom.xml", "<project><artifactId>a</artifactId><parent><artifactId>a</artifactId>"
                            "<relativePath>pom.xml</relativePath></parent></project>"),
    "a parent far above": ("pom.xml", "<project><artifactId>a</artifactId><parent><artifactId>a</artifactId>"
                           "<relativePath>" + "../" * 60 + "etc</relativePath></parent></project>"),
    "placeholders in placeholders": (RESOURCES + "application.properties", "server.port=" + "${" * 400_000),
    "a placeholder of itself": (RESOURCES + "application.properties", "server.port=" + "${server.port}" * 100),
    "profiles": (RESOURCES + "application.properties", "spring.profiles.active=" + "a," * 400_000),
    "databases in files": (RESOURCES + "application.properties", "".join(
        f"a{n}=jdbc:h2:./{'a/' * 40}b;c\n" for n in range(8_000)
    )),
    "a long database": (RESOURCES + "application.properties", "a=jdbc:sqlite:" + "a/" * 400_000),
    "a database of many placeholders": (RESOURCES + "application.properties", "a=jdbc:h2:" + "${a}" * 200_000),
    "databases in sources": (SOURCES, "class A { " + 'a("jdbc:h2:./a"); ' * 40_000),
    "open databases": (SOURCES, "class A { " + '"jdbc:h2:' * 100_000),
    "files in sources": (SOURCES, "class A { " + 'a("src/main/a/' * 60_000),
    "aliases for Dropwizard": (DROPWIZARD, "server:\n" + "a0: &a0 [x]\n"
                               + "".join(f"a{n + 1}: &a{n + 1} [" + f"*a{n}, " * 500 + "]\n" for n in range(60))),
    "databases for Dropwizard": (DROPWIZARD, "server: {}\n" + "".join(
        f"a{n}: {{url: '${{A:-jdbc:h2:./a{n}}}'}}\n" for n in range(4_000)
    )),
    "functions in functions": (SOURCES, "import org.springframework.web.servlet.function.*; class A { "
                               + 'R r(A a) { return nest(path("/a"), a.r()); GET("/a", h) } ' * 10_000),
    "functions of one another": (SOURCES, "import org.springframework.web.servlet.function.*; class A { " + "".join(
        f'R f{n}() {{ path("/{n}", b -> b.add(f{n + 1}()).add(f{n + 2}()).GET("/a", h)); }} ' for n in range(6_000)
    )),
    "folders of projects": ("settings.gradle", "include 'a'\n" + "project(':a').projectDir = file('a/../" * 20_000),
    "an open folder of a project": ("settings.gradle", "include 'a'\nproject(':a') {" + " projectDir = " * 60_000),
    "settings that Maven fills in": (RESOURCES + "application.properties", "a=@project.artifactId@" * 40_000),
    "open settings that Maven fills in": (RESOURCES + "application.yml", "a: @a" * 100_000),
    "documents that a build names": ("build.gradle", 'inputSpec = "a' * 60_000),
    "generators": ("pom.xml", "<project><generatorName>spring</generatorName>" + "<inputSpec>a" * 60_000),
    "other names of a catalog": ("build.gradle", "val a = libs\n" * 60_000),
    "servlets": (SOURCES, "class A { ServletContainer a; " + 'addServlet(a, "/a' * 60_000),
    "open servlets": (SOURCES, "class A { ServletContainer a; " + "addServlet(" * 90_000),
    "addresses of a server": (SOURCES, "class A { GrizzlyHttpServerFactory a; " + '"http://localhost:' * 60_000),
    "servlets of web.xml": (WEB_XML, "<servlet><servlet-name>a</servlet-name>" * 25_000),
    "mappings of web.xml": (WEB_XML, "<servlet-mapping> <servlet-name>a</servlet-name>" * 20_000),
    "routes that are bound": (SOURCES, "import org.http4k.routing.bind; " + '"/a" bind routes(' * 60_000),
    "open routes that are bound": (SOURCES, "import org.http4k.routing.bind; " + '"/a" meta { ' * 80_000),
    "services of Armeria": (SOURCES, "import com.linecorp.armeria.server.*; " + 'annotatedService("/a", ' * 40_000),
    "blocks for logins": (SOURCES, "import io.ktor.*; fun Route.a() { " + 'authenticate("a") { ' * 40_000),
    "main classes": ("build.gradle", "mainClass = '" + "a." * 400_000),
}  # fmt: skip


@pytest.mark.hostile
@pytest.mark.parametrize("name", HOSTILE)
def test_something_comes_out(tmp_path: Path, name: str) -> None:
    place, text = HOSTILE[name]
    if not place.endswith((".gradle", ".toml", "pom.xml")):
        more = f"<dependencies>{DEPENDENCIES}</dependencies></project>" if place == DROPWIZARD else "</project>"
        (tmp_path / "pom.xml").write_text(POM.replace("</project>", more))
    (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / place).write_text(text)
    if place == CATALOG:
        accessors = " ".join(f"libs.plugins.a libs.a.b.c libs.bundles.a{number}" for number in range(2_000))
        (tmp_path / "build.gradle").write_text(accessors)
    project = examine(tmp_path)
    assert len(repr(project)) < 100_000
    for settings in (read_settings(tmp_path), read_spring_settings(tmp_path)):
        assert sum(map(len, settings.values.values())) < 3 * MIB
        assert sum(map(len, settings.values)) < 3 * MIB
        assert len(settings.get("server.port")) < 10_000


def test_a_source_counts_each_time_that_a_link_leads_to_it(tmp_path: Path) -> None:
    folder = (tmp_path / SOURCES).parent
    folder.mkdir(parents=True)
    (folder / "A.java").write_bytes(b" " * MIB)
    for number in range(100):
        (folder / f"B{number}.java").symlink_to("A.java")
    assert len(list(files.sources(tmp_path))) == 32


PLACES = ["pom.xml", "build.gradle", RESOURCES + "application.yml", RESOURCES + "openapi.json", SOURCES]


@pytest.mark.hostile
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "itself"])
def test_a_project_file_that_is_none(tmp_path: Path, place: str, kind: str) -> None:
    path = tmp_path / place
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to("/dev/zero" if kind == "device" else path)
    assert examine(tmp_path) is not None
