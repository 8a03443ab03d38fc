# ruff: noqa: E501  seeds are lines of other formats
"""A foreign project: the first byte says which of its files the rest is."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

from fuzzing import scratch
from pacecar.onboarding.initialise.examine import examine

_FILES = (
    "pom.xml",
    "build.gradle",
    "settings.gradle.kts",
    "src/main/resources/application.yml",
    "src/main/resources/application.properties",
    "src/main/resources/openapi.yaml",
    "src/main/resources/openapi.json",
    "src/main/java/shop/Orders.java",
    "src/main/kotlin/shop/Orders.kt",
    "gradle/libs.versions.toml",
)
#: Means whatever a catalog may name.
_SCRIPT = b"plugins { alias(libs.plugins.a) }; api libs.a; api libs.b.c.get(); api libs.bundles.a"
_POM = b"<project><groupId>g</groupId><artifactId>a</artifactId><version>1</version></project>"


def parse(data: bytes) -> None:
    project = scratch.path("project")
    name = _FILES[data[0] % len(_FILES)] if data else "pom.xml"
    path = project / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if name.endswith(".toml"):
        (project / "build.gradle").write_bytes(_SCRIPT)
    elif not name.endswith((".gradle", ".kts")):
        (project / "pom.xml").write_bytes(_POM)
    path.write_bytes(data[1:])
    try:
        examine(project)
    finally:
        shutil.rmtree(project)


def seeds() -> Iterator[bytes]:
    yield b"\0" + _POM
    yield b"\0<project><build><finalName>${project.artifactId}-${x}</finalName></build><modules><module>m</module></modules></project>"
    yield b"\1plugins { id 'org.springframework.boot' }\nmainClass = 'shop.Main'\n"
    yield b'\2rootProject.name = "shop"\ninclude(":a", ":b:c")\n'
    yield b"\3server:\n  port: ${PORT:8080}\n  a: &x [1, 2]\n  b: *x\n"
    yield b"\4server.port=8081\n%prod.quarkus.http.root-path=/api\n"
    yield b"\5openapi: 3.0.0\npaths:\n  /a/{id}:\n    get:\n      parameters:\n      - {name: id, in: path, schema: {type: integer}}\n"
    yield b'\6{"servers":[{"url":"http://h/api"}],"paths":{"/a":{"get":{"parameters":[{"$ref":"#/p/0"}]}}}}'
    yield b'\7@RestController class Orders { @GetMapping("/a/{id}") Order a(@PathVariable int id, @RequestParam String q) {} }'
    yield b'\7import jakarta.ws.rs.*; @Path("/o") class O { @GET @Path("{id: [0-9]+}") String a() {} }'
    yield b'\7import io.micronaut.http.*; @Controller("/o") class O { @Get("/{id}{?q}") String a() { System.getenv("PORT"); } }'
    yield b'\1tasks { exclude \'**/*.class\' } // x\ndescription = """a ${b("c")}"""; apply plugin: \'application\''
    yield b"\2include(\n    ':a',\n    ':b:c', // d\n)"
    yield b"\4a=1\n#---\nspring.config.activate.on-profile=x\na=2\n"
    yield b'\7class B { static final String C = "/c" + D.E; } @RestController @RequestMapping(B.C) class Controller { @GetMapping(path = {"/a"}) A a(@RequestParam(value = "q") final List<@X Long> q) {} }'
    yield b'\x08data class O(val i: Int)\n@RestController @RequestMapping(path = ["/o"]) class C { companion object { const val A = "/a" }\n @GetMapping("$A/{i}") fun a(@RequestParam q: String? = null) = "${b["c"]}" }'
    yield b"\x09[plugins]\na = { id = 'org.springframework.boot' }\n[libraries]\na = 'b:c:1'\nb-c = { group = 'd', name = 'e' }\n[bundles]\na = ['a', 'b-c']\n"
