# ruff: noqa: E501  seeds are lines of other formats
"""A foreign project. Half of the first byte says which of its files the rest is, the other half what builds it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

from fuzzing import scratch
from pacecar.inputs import config
from pacecar.onboarding.initialise import write

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
    "config.yml",
    "src/main/resources/application.conf",
    "src/main/resources/bootstrap.yml",
    "src/main/resources/application-dev.properties",
    "buildSrc/src/main/kotlin/shop.gradle.kts",
    "service/pom.xml",
)
#: What a project depends on, each of which has its files read in a way of its own.
_BUILDS = (
    (),
    ("spring-boot-starter-web", "spring-boot-starter-data-rest", "spring-boot-starter-jersey"),
    ("spring-boot-starter-webflux", "spring-boot-starter-actuator", "spring-boot-starter-security"),
    ("quarkus-maven-plugin", "quarkus-smallrye-health"),
    ("micronaut-http-server", "micronaut-management"),
    ("helidon-webserver", "helidon-webserver-observe-health"),
    ("helidon-microprofile", "helidon-metrics"),
    ("dropwizard-core", "dropwizard-migrations"),
)
#: Means whatever a catalog may name.
_SCRIPT = b"plugins { alias(libs.plugins.a); id 'shop' }; api libs.a; api libs.b.c.get(); api libs.bundles.a"


def _pom(build: int) -> bytes:
    listed = "".join(f"<dependency><artifactId>{name}</artifactId></dependency>" for name in _BUILDS[build])
    return f"<project><groupId>g</groupId><artifactId>a</artifactId><version>1</version><dependencies>{listed}</dependencies></project>".encode()


_WHOLE = b"<project><artifactId>a</artifactId><packaging>pom</packaging><modules><module>service</module></modules></project>"


def parse(data: bytes) -> None:
    project = scratch.path("project")
    first = data[0] if data else 0
    name = _FILES[first % len(_FILES)]
    path = project / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if name.endswith(".toml") or name.startswith("buildSrc/"):
        (project / "build.gradle").write_bytes(_SCRIPT)
    elif not name.endswith((".gradle", ".kts")):
        (project / "pom.xml").write_bytes(_WHOLE if "service/" in name else _pom(first // len(_FILES) % len(_BUILDS)))
    path.write_bytes(data[1:])
    try:
        # Whatever the files hold, what is proposed for them is accepted.
        config.load(write(project, force=True))
    finally:
        shutil.rmtree(project)


def seeds() -> Iterator[bytes]:
    yield b"\0" + _pom(0)
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
    yield b"\2include(':a', ':b')\nproject(':a').projectDir = new File(settingsDir, 'x/../y')\nproject(':b') { projectDir = file(\"$rootDir/z\") }"
    yield b"\2include(\n    ':a',\n    ':b:c', // d\n)"
    yield b"\4a=1\n#---\nspring.config.activate.on-profile=x\na=2\n"
    yield b'\7class B { static final String C = "/c" + D.E; } @RestController @RequestMapping(B.C) class Controller { @GetMapping(path = {"/a"}) A a(@RequestParam(value = "q") final List<@X Long> q) {} }'
    yield b'\x08data class O(val i: Int)\n@RestController @RequestMapping(path = ["/o"]) class C { companion object { const val A = "/a" }\n @GetMapping("$A/{i}") fun a(@RequestParam q: String? = null) = "${b["c"]}" }'
    yield b"\x09[plugins]\na = { id = 'org.springframework.boot' }\n[libraries]\na = 'b:c:1'\nb-c = { group = 'd', name = 'e' }\n[bundles]\na = ['a', 'b-c']\n"
    # Spring: repositories and their searches, functions, contracts, enums, settings, profiles
    yield b'\x17import org.springframework.data.rest.*; @RepositoryRestResource(path = "people") interface P extends CrudRepository<Person, Long> { @RestResource(path = "by") List<Person> findByName(@Param("name") String name); }'
    yield b'\x27import org.springframework.web.reactive.function.server.*; class R { RouterFunction<?> r(H h) { return route().path("/a", b -> b.GET("/{id}", accept(JSON), h::one).nest(path("/b"), c -> c.POST(h::add))).build(); } }'
    yield b'\x28import org.springframework.web.reactive.function.server.*\nfun r(h: H) = coRouter { "/a".nest { GET("/{id}", h::one); ("/b" and accept(J)).nest { DELETE("/c", h::c) } } }'
    yield b'\x17import org.springframework.*; interface Api { @GetMapping("/a/{kind}") A a(@PathVariable Kind kind); enum Kind { NEW(1), @Deprecated("x") OLD { } } } @RestController @RequestMapping("${api.base:/api}") class C implements Api { }'
    yield b"\x14spring.profiles.active=dev,a\nspring.profiles.group.dev=b\nserver.servlet.context-path=${x:/a}\nspring.datasource.url=jdbc:mysql://h/d\nmanagement.server.port=1\nserver.ssl.key-store=k"
    yield b"\x2dspring.config.import=configserver:\nspring.webflux.base-path=/a\nmanagement.endpoints.web.exposure.include='*'"
    yield b"\x1cspring:\n  config.activate.on-profile: a\n---\nspring.cloud.config: {uri: u, fail-fast: true}\n"
    yield b'\x27import org.springframework.web.reactive.function.server.*; class R { RouterFunction<?> r(O o) { return nest(path("/a"), o.r()).and(nest(path(X), p::r)); } } class O { RouterFunction<?> r() { return route(GET("/b"), h); } }'
    yield b"\x14spring.datasource.url=${A:jdbc:h2:file:./d/s;MODE=x}\nb.c-d=jdbc:sqlite:src/main/resources/application.properties\nspring.data.rest.detection-strategy=annotated"
    yield b'\x34quarkus.datasource."a".jdbc.url=jdbc:derby:directory:~/d;create=true\n%dev.a=jdbc:hsqldb:file:x'
    # Others
    yield b'\x37import io.quarkus.hibernate.orm.rest.data.panache.*; @ResourceProperties(path = "p") interface P extends PanacheEntityResource<A, Long> { }'
    yield b'\x37import io.quarkus.vertx.web.*; @RouteBase(path = "/a") class R { @Route(path = "/:id", methods = HttpMethod.GET) void a(@Param String q) { } }'
    yield b'\x47import io.micronaut.http.annotation.*; @Controller("/a") interface A { @Get("/{id}{?q*}") String a(@QueryValue Optional<String> q); }'
    yield b'\x57import io.helidon.webserver.*; class M { void m() { WebServer.builder().port(8080).config(config.get("server")); routing.register("/a", new G()); } } class G implements HttpService { void routing(HttpRules r) { r.get("/{n}", this::n); } }'
    yield b"\x7aserver:\n  applicationConnectors: [{type: https, port: 1}, {type: http, port: 2}]\n  adminConnectors: [{port: 3}]\n  rootPath: /api/*\n"
    yield b"\x7adatabase: {url: '${A:-jdbc:h2:./target/d}'}\nserver: {type: simple, connector: {port: 1, keyStorePath: a/b.p12}}\n"
    yield b"\x7aserver: {type: simple, applicationContextPath: /a, connector: {port: 1}}\nlogging: {level: INFO}\n"
    yield b'\x08import io.ktor.*\n@Resource("/a") class A { @Resource("{id}") class B(val a: A = A(), val id: Int) }\nfun Route.b() { route("/c") { get<A.B> { }; get("{x?}") { } } }\nfun Application.m() { routing { b() } }\nfun main() { embeddedServer(Netty, port = 8080) { } }'
    yield b'\x07import io.vertx.*; class S { void s() { router.route("/a/*").subRouter(api); api.get("/b/:id").handler(x); router.route("/c").method(HttpMethod.PUT).produces("t").handler(x); config().getInteger("http.port"); } }'
    yield b'\x07import static spark.Spark.*; class S { public static void main(String[] args) { port(Integer.parseInt(System.getenv("PORT"))); path("/a", () -> { get("/:id", (q, r) -> ""); }); } }'
    yield b"\x0bktor { deployment { port = 8080, port = ${?PORT} }, a = ${B_C} } # ${D}\n"
    yield b'\x0eplugins { id("io.ktor.plugin"); application }\napplication { mainClass.set("io.ktor.server.netty.EngineMain") }\ndependencies { implementation("a:b:1"); implementation(project(":c")) }'
    yield b"\x0f<project><parent><artifactId>p</artifactId><version>1</version><relativePath>../parent/pom.xml</relativePath></parent><artifactId>s</artifactId><build><plugins><plugin><artifactId>maven-assembly-plugin</artifactId><configuration><finalName>f</finalName></configuration></plugin></plugins></build><profiles><profile><activation><activeByDefault>true</activeByDefault></activation></profile></profiles></project>"
    yield b"\1apply from: \"$rootDir/gradle/a.gradle\"\nsourceSets { main { java.srcDirs = ['src'] } }\nwar\napply plugin: 'war'\nshadowJar { archiveFileName = 'a.jar' }"
