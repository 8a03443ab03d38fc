"""What Spring Boot settles: port, context path, pages of health and metrics, what it needs beside it."""

import pytest

from support.maven_parts import JAVA, RESOURCES, dependencies, plugin
from support.process_forks import command_of


class TestSpring:
    """Spring Boot."""

    @pytest.fixture
    def spring(self, proposed, pom):
        parts = dependencies("spring-boot-starter-actuator", "micrometer-registry-prometheus")
        head = pom(plugin("spring-boot-maven-plugin") + parts)
        source = '@RestController @RequestMapping("api") class Owners { @GetMapping("owners") void all() {} }'

        def propose(properties):
            path = f"{RESOURCES}application.properties"
            return proposed({"pom.xml": head, path: properties, f"{JAVA}OwnersController.java": source})

        return propose

    @pytest.mark.parametrize(
        ("settings", "page"),
        [
            ("management.endpoints.web.base-path=/\nmanagement.endpoint.health.show-details=always", "/health"),
            ("management.metrics.tags.application=shop", "/a"),
        ],
    )
    def test_an_actuator_may_come_by_a_starter_of_ones_own(self, proposed, pom, settings, page):
        source = '@RestController class A { @GetMapping("/a") void a() {} }'
        text, loaded = proposed(
            {
                "pom.xml": pom(dependencies("shop-spring-boot-starter", "spring-boot-starter-web")),
                f"{RESOURCES}application.properties": settings,
                f"{JAVA}A.java": source,
            }
        )
        assert loaded.target.ready.path == page
        assert ("GUESS: its settings speak of Spring's actuator" in text) == (page == "/health")

    def test_a_context_path_is_before_everything(self, spring):
        _, loaded = spring("server.servlet.context-path=/petclinic/\nmanagement.endpoints.web.exposure.include=*")
        assert loaded.target.ready.path == "/petclinic/actuator/health"
        assert loaded.target.metrics_path == "/petclinic/actuator/prometheus"
        assert [each.path for each in loaded.scenario.endpoints] == ["/petclinic/api/owners"]

    def test_a_page_of_metrics_may_be_turned_off_again(self, spring):
        key = "management.prometheus.metrics.export.enabled"
        _, loaded = spring(f"management.endpoints.web.exposure.include=*\n{key}=${{EXPORT:false}}")
        assert loaded.target.metrics_path is None

    def test_pages_may_lie_elsewhere(self, spring):
        _, loaded = spring("management.endpoints.web.base-path=/manage\nspring.mvc.servlet.path=/mvc")
        assert loaded.target.ready.path == "/mvc/manage/health"

    def test_a_second_port_would_be_taken_twice(self, spring):
        _, loaded = spring("management.server.port=8081")
        assert command_of(loaded.target)[-2:] == ("--server.port={port}", "--management.server.port={port}")

    def test_https_is_turned_off_and_that_is_said(self, spring):
        text, loaded = spring("server.ssl.key-store=classpath:k.p12")
        assert command_of(loaded.target)[-1] == "--server.ssl.enabled=false"
        assert "GUESS: it serves HTTPS" in text

    def test_https_that_is_off_is_not_spoken_of(self, spring):
        text, loaded = spring("server.ssl.enabled=false\nserver.ssl.key-store=classpath:k.p12")
        assert "--server.ssl.enabled=false" not in command_of(loaded.target)
        assert "HTTPS" not in text

    @pytest.mark.parametrize(
        ("properties", "page"),
        [
            ("management.endpoints.web.exposure.include=info,prometheus", "/api/owners"),
            ("management.endpoints.web.exposure.exclude=health", "/api/owners"),
            ("management.endpoints.web.exposure.include=health", "/actuator/health"),
            ("management.endpoints.web.path-mapping.health=up", "/actuator/up"),
            ("management.endpoints.web.base-path=/", "/health"),
        ],
    )
    def test_its_health_page_may_be_off_or_have_another_name(self, spring, properties, page):
        _, loaded = spring(properties)
        assert loaded.target.ready.path == page

    @pytest.mark.parametrize(
        ("properties", "named"),
        [
            ("spring.datasource.url=jdbc:mysql://localhost/shop?user=me&password=secret", "name MySQL:"),
            (
                "spring.datasource.url=${DB:jdbc:p6spy:postgresql://db/shop}\nspring.redis.host=cache",
                "PostgreSQL and Redis:",
            ),
            ("spring.data.mongodb.uri=mongodb://me:secret@db/shop", "name MongoDB:"),
            ("spring.datasource.url=jdbc:h2:mem:shop", None),
            ("spring.datasource.url=${DB_URL}", None),
        ],
    )
    def test_what_it_needs_beside_it_is_told(self, spring, properties, named):
        text, _ = spring(properties)
        assert ("each fork needs its own; have [[target.dependencies]] start it" in text) == (named is not None)
        assert (named or "") in text
        assert "secret" not in text

    @pytest.mark.parametrize(
        ("properties", "told"),
        [
            ("spring.config.import=configserver:http://config:8888", True),
            ("spring.cloud.config.uri=http://config:8888\nspring.cloud.config.fail-fast=true", True),
            ("spring.config.import=optional:configserver:http://config:8888", False),
            ("spring.config.import=configserver:\nspring.cloud.config.enabled=false", False),
        ],
    )
    def test_a_server_of_its_settings_is_told(self, spring, properties, told):
        text, _ = spring(properties)
        assert ("GUESS: it takes settings from a config server" in text) == told

    @pytest.mark.parametrize(
        ("starter", "told"),
        [
            ("spring-boot-starter-security", True),
            ("spring-security-oauth2-jose", True),
            ("spring-security-test", False),
            ("spring-security-crypto", False),
        ],
    )
    def test_logins_are_told(self, proposed, pom, starter, told):
        text, _ = proposed({"pom.xml": pom(dependencies("spring-boot-starter-web", starter))})
        assert ("GUESS: it has Spring Security: where it answers 401 or 403" in text) == told

    @pytest.mark.parametrize(
        ("starter", "told"), [("spring-boot-starter-security", True), ("spring-boot-starter-web", False)]
    )
    def test_a_health_page_may_need_a_login(self, proposed, pom, starter, told):
        own = "import org.springframework.security.config.*; @EnableWebSecurity class Config { }"
        parts = dependencies("spring-boot-starter-actuator", starter)
        text, loaded = proposed({"pom.xml": pom(parts), f"{JAVA}Config.java": own})
        assert loaded.target.ready.path == "/actuator/health"
        assert ("# GUESS: that Spring Security asks for no login here" in text) == told

    def test_what_a_fork_needs_is_told_without_a_page_that_an_installation_lacks(self, spring):
        text, _ = spring("spring.datasource.url=jdbc:mysql://localhost/shop")
        assert "docs/how-to" not in text
        assert "docs/reference/configuration.md of Pacecar" in text

    @pytest.mark.parametrize(
        ("starter", "base"),
        [
            ("spring-boot-starter-web", "/context/mvc"),
            ("spring-boot-starter-webflux", "/flux"),
            ("spring-cloud-starter-gateway", "/flux"),
            ("spring-boot-starter", "/context/mvc"),
        ],
    )
    def test_servlets_and_webflux_have_base_paths_of_their_own(self, proposed, pom, starter, base):
        settings = "server.servlet.context-path=/context\nspring.mvc.servlet.path=/mvc\nspring.webflux.base-path=/flux"
        source = '@RestController class A { @GetMapping("/a") void a() {} }'
        _, loaded = proposed(
            {
                "pom.xml": pom(dependencies("spring-boot-starter", starter)),
                f"{RESOURCES}application.properties": settings,
                f"{JAVA}A.java": source,
            }
        )
        assert [each.path for each in loaded.scenario.endpoints] == [f"{base}/a"]

    @pytest.mark.parametrize(
        ("prefix", "own", "context", "path"),
        [
            ("/api/users", "/", "", "/api/users/"),
            ("/api/users", "", "", "/api/users"),
            ("/api/users/", "", "", "/api/users/"),
            ("/api/", "users", "", "/api/users"),
            ("", "/users/", "/shop", "/shop/users/"),
            ("", "/", "/shop", "/shop/"),
            ("", "/", "", "/"),
        ],
    )
    def test_a_slash_at_the_end_belongs_to_the_path(self, proposed, pom, prefix, own, context, path):
        source = f'@RestController @RequestMapping("{prefix}") class A {{ @GetMapping("{own}") void a() {{}} }}'
        _, loaded = proposed(
            {
                "pom.xml": pom(dependencies("spring-boot-starter-web")),
                f"{RESOURCES}application.properties": f"server.servlet.context-path={context}",
                f"{JAVA}A.java": source,
            }
        )
        assert [each.path for each in loaded.scenario.endpoints] == [path]
        assert loaded.target.ready.path == path

    @pytest.mark.parametrize(
        ("settings", "path"),
        [("", "/shop/own/a"), ("spring.jersey.application-path=/api\nspring.mvc.servlet.path=/mvc", "/shop/api/a")],
    )
    def test_jersey_has_a_path_of_its_own(self, proposed, pom, settings, path):
        source = 'import jakarta.ws.rs.*; @ApplicationPath("own") class App {} @Path("/a") class A { @GET void a() {} }'
        _, loaded = proposed(
            {
                "pom.xml": pom(dependencies("spring-boot-starter-jersey")),
                f"{RESOURCES}application.properties": f"server.servlet.context-path=/shop\n{settings}",
                f"{JAVA}A.java": source,
            }
        )
        assert [each.path for each in loaded.scenario.endpoints] == [path]

    def test_a_path_nobody_would_have_is_not_believed(self, spring):
        _, loaded = spring("server.servlet.context-path=/a b${int(1,2)}\x01")
        assert loaded.target.ready.path == "/actuator/health"

    def test_variables_are_named_and_secrets_apart(self, spring):
        text, _ = spring("spring.datasource.url=${DB_URL}\nspring.datasource.password=${DB_PASSWORD}")
        assert '# DB_URL = "…"' in text
        assert '# DB_PASSWORD = "DB_PASSWORD"' in text
        assert text.index("# [target.env]") < text.index("# DB_URL") < text.index("# [target.secrets]")


@pytest.mark.parametrize(
    ("value", "files", "folder"),
    [
        ("keys.p12", ["shop/keys.p12"], "shop"),
        ("file:./conf/keys.p12", ["shop/conf/keys.p12"], "shop"),
        ("a.p12,optional:file:conf/keys.p12", ["shop/conf/keys.p12"], "shop"),
        ("conf/keys.p12", ["shop/conf/keys.p12", "conf/keys.p12"], None),
        ("keys.p12", ["keys.p12"], None),
        ("../keys.p12", ["keys.p12"], None),
        ("shop", ["shop/shop/keys.p12"], None),
        ("/etc/hostname", [], None),
    ],
)
def test_a_service_in_a_module_is_started_where_the_files_of_its_settings_are(proposed, pom, value, files, folder):
    modules = "<packaging>pom</packaging><modules><module>shop</module></modules>"
    _, loaded = proposed(
        {
            "pom.xml": pom(modules),
            "shop/pom.xml": pom(plugin("spring-boot-maven-plugin")),
            f"shop/{RESOURCES}application.properties": f"shop.key-store={value}",
            **dict.fromkeys(files, ""),
        }
    )
    assert loaded.target.directory.name == (folder or "shop-service")
    assert loaded.source.artifact.startswith("shop/target/")
