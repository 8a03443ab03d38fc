"""Which requests ask for a login: rules for paths, annotations, and what a proposal makes of both."""

import pytest

from pacecar.onboarding.initialise.access import Access, AccessRule
from pacecar.onboarding.initialise.spring_security import rules_in
from support.maven_parts import JAVA, RESOURCES, dependencies, plugin

SECURITY = "import org.springframework.security.web.SecurityFilterChain;\n"
JAVA_RULES = """class Config {
    static final String API = "/api";
    private static final String[] LISTED = { "/a/**", API + "/b" };
    void chain(HttpSecurity http) {
        http.csrf(c -> c.ignoringRequestMatchers("/none")).authorizeHttpRequests(a -> a
            .requestMatchers(LISTED).permitAll()
            .requestMatchers(HttpMethod.GET, "/articles/**", "/tags").permitAll()
            .requestMatchers(antMatcher(HttpMethod.POST, "/users"), mvc.pattern("/users/login")).permitAll()
            .requestMatchers(EndpointRequest.to("health")).permitAll()
            .requestMatchers("/admin/**").hasRole("ADMIN") // .requestMatchers("/admin/**").permitAll()
            .anyRequest().authenticated());
    }
    void ignore(WebSecurity web) { web.ignoring().antMatchers("/static/**"); }
}"""
KOTLIN_RULES = """
val OPEN = arrayOf("/a/**", "/api/b")
fun chain(http: HttpSecurity) { http { authorizeHttpRequests {
    authorize(HttpMethod.GET, "/tags", permitAll)
    authorize("/admin/**", hasRole("ADMIN"))
    authorize(anyRequest, authenticated)
} } }"""
WEBFLUX_RULES = """
val OPEN = listOf("/a/**")
fun chain(http: ServerHttpSecurity) = http.authorizeExchange { it.pathMatchers(*OPEN.toTypedArray())
    .permitAll()
    .anyExchange()
    .authenticated() }"""


def asked(source, method, path):
    """Whether the rules in a source ask for a login."""
    return Access(rules=tuple(rules_in(SECURITY + source))).asks(method, path)


@pytest.mark.parametrize(
    ("method", "path", "login"),
    [
        ("GET", "/a", False),
        ("GET", "/a/x/y", False),
        ("GET", "/api/b", False),
        ("GET", "/api/b/c", True),
        ("GET", "/articles/{slug}", False),
        ("GET", "/articles", False),
        ("POST", "/articles", True),
        ("POST", "/users", False),
        ("POST", "/users/login", False),
        ("GET", "/actuator/health", False),
        ("GET", "/actuator/prometheus", True),
        ("GET", "/admin/x", True),
        ("GET", "/static/a.css", False),
        ("GET", "/", True),
    ],
)
def test_rules_of_java(method, path, login):
    assert asked(JAVA_RULES, method, path) is login


@pytest.mark.parametrize(
    ("source", "path", "login"),
    [
        (KOTLIN_RULES, "/tags", False),
        (KOTLIN_RULES, "/admin/users", True),
        (KOTLIN_RULES, "/users", True),
        (WEBFLUX_RULES, "/a/b", False),
        (WEBFLUX_RULES, "/b", True),
    ],
)
def test_rules_of_kotlin(source, path, login):
    assert asked(source, "GET", path) is login


@pytest.mark.parametrize(
    "source",
    [
        'class A { void m() { http.securityMatcher(paths); a.requestMatchers("/x").permitAll(); } }',
        "class A { void m() { a.anyRequest().authenticated(); b.anyRequest().permitAll(); } }",
        'class A { void m() { channel.requestMatchers("/x").requiresSecure(); } }',
        'class A { void m() { a.requestMatchers("/x").access(byCode).anyRequest().authenticated(); } }',
        "class A { void m() { a.requestMatchers((((.permitAll() } }",
    ],
)
def test_what_tells_nothing(source):
    assert asked(source, "GET", "/x") is None


CHAINS = """class Config {
    @Bean @Order(2) SecurityFilterChain web(HttpSecurity http) {
        return http.authorizeHttpRequests(a -> a
            .requestMatchers("/", "/api/a").permitAll().anyRequest().authenticated());
    }
    @Bean @Order(1) SecurityFilterChain api(HttpSecurity http) {
        return http.securityMatcher("/api/**").authorizeHttpRequests(a -> a
            .requestMatchers("/api/open").permitAll().anyRequest().hasRole("USER")).build();
    }
    @Bean @Order(0) SecurityFilterChain watch(HttpSecurity http) {
        return http.securityMatcher(EndpointRequest.toAnyEndpoint())
            .authorizeHttpRequests(a -> a.anyRequest().permitAll());
    }
    WebSecurityCustomizer custom() { return web -> web.ignoring().requestMatchers("/static/**"); }
}"""


@pytest.mark.parametrize(
    ("path", "login"),
    [
        ("/", False),
        ("/api/a", True),
        ("/api/open", False),
        ("/actuator/health", False),
        ("/static/a.css", False),
        ("/others", True),
    ],
)
def test_several_sets_of_rules_for_some_paths_each(path, login):
    assert asked(CHAINS, "GET", path) is login


def test_sets_of_rules_of_old():
    source = """class Config {
        static class Api extends WebSecurityConfigurerAdapter { void configure(HttpSecurity http) {
            http.csrf().disable().antMatcher("/api/**").authorizeRequests().antMatchers("/api/auth").permitAll()
                .anyRequest().authenticated(); } }
        static class Web extends WebSecurityConfigurerAdapter { void configure(HttpSecurity http) {
            http.authorizeRequests().requestMatchers(AntPathRequestMatcher.antMatcher("/admin/**")).hasRole("ADMIN")
                .anyRequest().permitAll(); } }
    }"""
    found = {path: asked(source, "GET", path) for path in ("/api/auth", "/api/a", "/admin/a", "/a")}
    assert found == {"/api/auth": False, "/api/a": True, "/admin/a": True, "/a": False}


def test_what_cannot_be_read_may_let_in_what_a_later_rule_closes():
    rules = tuple(rules_in("class A { void m() { a.requestMatchers(url).permitAll().anyRequest().authenticated(); } }"))
    assert rules[0] is None
    assert Access(rules=rules).asks("GET", "/x") is True
    assert Access(rules=rules).asks("GET", "/x", surely=True) is None


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("/**", "/", True),
        ("/a/**/c", "/a/c", True),
        ("/a/**/c", "/a/b/b/c", True),
        ("/a/**/c", "/a/b", False),
        ("/a/*", "/a/b", True),
        ("/a/*", "/a/b/c", False),
        ("/a/{id:\\d+}", "/a/{id}", True),
        ("/*.html", "/index.html", True),
        ("a/b", "/a/b/", True),
        ("/a[", "/a[", False),
        ("/" + "*a" * 200, "/" + "a" * 200, False),
        ("/**" * 30, "/a", False),
    ],
)
def test_patterns(pattern, path, fits):
    assert AccessRule(patterns=(pattern,), login=False).fits("GET", path) is fits


@pytest.mark.hostile
@pytest.mark.parametrize(
    "piece",
    [
        'requestMatchers("/a").permitAll() ',
        "requestMatchers(",
        "requestMatchers(A).permitAll(); ",
        "authorize(A, ",
        "web.ignoring().antMatchers(",
        "A = { ",
        "securityMatcher(",
        "@PreAuthorize(",
    ],
)
def test_many_rules_end_soon(piece):
    source = SECURITY + "class A { " + piece * (900_000 // len(piece))
    assert len(tuple(rules_in(source))) <= 200


class TestProposal:
    """What asks for a login is neither load nor the page to wait for, as long as there is something else."""

    @pytest.fixture
    def spring(self, proposed, pom):
        def propose(rules, *, settings="", methods=""):
            owners = f'@RestController class Owners {{ @GetMapping("/open") void a() {{}} {methods} }}'
            config = f"class Config {{ void chain(HttpSecurity http) {{ http.a(a -> a{rules}); }} }}"
            return proposed(
                {
                    "pom.xml": pom(dependencies("spring-boot-starter-actuator", "spring-boot-starter-security")),
                    f"{RESOURCES}application.properties": settings,
                    f"{JAVA}Owners.java": owners,
                    f"{JAVA}Config.java": SECURITY + config,
                }
            )

        return propose

    CLOSED = ".anyRequest().authenticated()"

    def test_a_health_page_that_asks_for_none_is_no_guess(self, spring):
        text, loaded = spring('.requestMatchers("/actuator/**").permitAll()' + self.CLOSED)
        assert loaded.target.ready.path == "/actuator/health"
        assert "that Spring Security asks for no login here" not in text

    def test_another_page_stands_in_for_a_health_page_that_asks_for_one(self, spring):
        text, loaded = spring('.requestMatchers("/open").permitAll()' + self.CLOSED)
        assert loaded.target.ready.path == "/open"
        assert "GUESS: /actuator/health asks for a login, as the rules for its paths say, so /open stands in" in text

    def test_where_every_page_asks_for_one_that_is_said(self, spring):
        text, loaded = spring(self.CLOSED)
        assert loaded.target.ready.path == "/actuator/health"
        assert "let that page be asked for without one, or name another in target.ready" in text
        assert "# GUESS: that it answers with a login only: give it headers" in text
        assert [each.path for each in loaded.scenario.endpoints] == ["/open"]

    def test_paths_do_not_have_the_context_path_in_rules(self, spring):
        rules = '.requestMatchers("/open", "/actuator/health").permitAll()' + self.CLOSED
        text, loaded = spring(rules, settings="server.servlet.context-path=/shop")
        assert loaded.target.ready.path == "/shop/actuator/health"
        assert "login only" not in text

    def test_settings_may_list_what_is_let_in(self, spring):
        rules = ".requestMatchers(urls).permitAll()" + self.CLOSED
        text, loaded = spring(rules, settings="secure.ignored.urls=/open,/actuator/**")
        assert loaded.target.ready.path == "/actuator/health"
        assert "login only" not in text

    def test_an_annotation_may_open_what_a_rule_that_cannot_be_read_lets_in(self, spring):
        rules = ".requestMatchers(urls).permitAll()" + self.CLOSED
        _, loaded = spring(rules, methods='@AnonymousGetMapping("/anybody") void b() {}')
        assert [each.path for each in loaded.scenario.endpoints] == ["/anybody"]

    @pytest.mark.parametrize(
        ("config", "starter", "asks"),
        [
            ("", "spring-boot-starter-security", True),
            ("", "spring-security-oauth2-jose", False),
            ("@EnableWebSecurity class Config { }", "spring-boot-starter-security", False),
            (
                "@SpringBootApplication(exclude = SecurityAutoConfiguration.class)",
                "spring-boot-starter-security",
                False,
            ),
        ],
    )
    def test_without_any_rule_everything_but_the_health_page_asks_for_one(self, proposed, pom, config, starter, asks):
        text, loaded = proposed(
            {
                "pom.xml": pom(dependencies("spring-boot-starter-actuator", starter)),
                f"{JAVA}A.java": '@RestController class A { @GetMapping("/a") void a() {} }',
                f"{JAVA}Config.java": f"import org.springframework.security.x.*; {config}",
            }
        )
        assert loaded.target.ready.path == "/actuator/health"
        assert ("# GUESS: that it answers with a login only: give it headers" in text) == asks

    @pytest.mark.parametrize(("within", "paths"), [("/api/**", ["/open"]), ("/**", [])])
    def test_rules_of_several_files(self, proposed, pom, within, paths):
        chain = (
            "class {name} {{ void chain(HttpSecurity http) {{ http{within}.a(a -> a.anyRequest().{verdict}()); }} }}"
        )
        files = {
            "pom.xml": pom(dependencies("spring-boot-starter-security")),
            f"{JAVA}A.java": '@RestController class A { @GetMapping({"/api/a"}) void a() {} }',
            f"{JAVA}B.java": '@RestController class B { @GetMapping("/open") void b() {} }',
            f"{JAVA}One.java": SECURITY
            + chain.format(name="One", within=f'.securityMatcher("{within}")', verdict="authenticated"),
            f"{JAVA}Two.java": SECURITY + chain.format(name="Two", within="", verdict="permitAll"),
        }
        _, loaded = proposed(files)
        assert [each.path for each in loaded.scenario.endpoints] == (paths or ["/api/a", "/open"])

    @pytest.mark.parametrize(
        ("rules", "page"), [('.requestMatchers("/*.html").permitAll()', "/index.html"), ("", "/a")]
    )
    def test_the_first_page_may_ask_for_one(self, proposed, pom, rules, page):
        files = {
            "pom.xml": pom(dependencies("spring-boot-starter-security")),
            f"{RESOURCES}static/index.html": "",
            f"{JAVA}A.java": '@RestController class A { @GetMapping("/a") void a() {} }',
            f"{JAVA}Config.java": SECURITY + f"class C {{ void c(H http) {{ http.a(a -> a{rules}{self.CLOSED}); }} }}",
        }
        _, loaded = proposed(files)
        assert loaded.target.ready.path == page

    def test_rules_for_all_paths_are_rules(self, spring):
        text, _ = spring('.securityMatcher("/**").requestMatchers("/actuator/**").permitAll()' + self.CLOSED)
        assert "that Spring Security asks for no login here" not in text

    def test_what_asks_for_one_is_a_comment_beside_what_does_not(self, spring):
        methods = '@PreAuthorize("hasRole(1)") @GetMapping("/closed") void b() {}'
        text, loaded = spring(".anyRequest().permitAll()", methods=methods)
        assert [each.path for each in loaded.scenario.endpoints] == ["/open"]
        assert '# It answers with a login only:\n# [[scenario.endpoints]]\n# name = "GET /closed"' in text


@pytest.mark.parametrize(
    ("marks", "class_marks", "closed"),
    [
        ("", "", False),
        ("@RolesAllowed({A.B})", "", True),
        ("", "@Authenticated", True),
        ("@PermitAll", "@RolesAllowed(A)", False),
        ("@Authenticated", "@PermitAll", True),
        ("@Secured(value = ADMIN, optional = true)", "", False),
    ],
)
def test_annotations_of_jax_rs(proposed, pom, marks, class_marks, closed):
    source = f'import jakarta.ws.rs.*; {class_marks} @Path("/a") class A {{ @GET {marks} String a() {{ }} }}'
    open_one = 'import jakarta.ws.rs.*; @Path("/b") class B { @GET String b() { } }'
    pom_text = pom(plugin("quarkus-maven-plugin"))
    _, loaded = proposed({"pom.xml": pom_text, f"{JAVA}A.java": source, f"{JAVA}B.java": open_one})
    assert [each.path for each in loaded.scenario.endpoints] == (["/b"] if closed else ["/a", "/b"])


def test_a_user_of_dropwizard_has_logged_in(proposed, pom):
    source = """import jakarta.ws.rs.*; @Path("/a") class A {
        @GET String a(@Auth User user) { } @GET @Path("b") String b(@Auth Optional<User> user) { } }"""
    _, loaded = proposed({"pom.xml": pom(dependencies("dropwizard-core")), f"{JAVA}A.java": source})
    assert [each.path for each in loaded.scenario.endpoints] == ["/a/b"]


def test_settings_of_quarkus(proposed, pom):
    settings = """
        quarkus.http.auth.permission.all.paths=/*
        quarkus.http.auth.permission.all.policy=authenticated
        quarkus.http.auth.permission.open.paths=/b/*,/c
        quarkus.http.auth.permission.open.policy=permit
        """
    source = """import jakarta.ws.rs.*; @Path("/") class A { @GET @Path("a") String a() { }
        @GET @Path("b/{id}") String b() { } @GET @Path("c") String c() { }
        @PermitAll @GET @Path("d") String d() { } }"""
    files = {f"{RESOURCES}application.properties": settings, f"{JAVA}A.java": source}
    _, loaded = proposed({"pom.xml": pom(plugin("quarkus-maven-plugin")), **files})
    assert [each.name for each in loaded.scenario.endpoints] == ["GET /b/{id}", "GET /c", "GET /d"]


INTERCEPTED = """
    micronaut:
      security:
        intercept-url-map:
          - pattern: /b/**
            access: isAnonymous()
          - pattern: /c
            http-method: GET
            access:
              - isAnonymous()
    """


@pytest.mark.parametrize(
    ("library", "settings", "open_ones"),
    [
        ("micronaut-security-jwt", INTERCEPTED, ["/b", "/c", "/d"]),
        ("micronaut-validation", INTERCEPTED, ["/b", "/c", "/d"]),
        ("micronaut-security-jwt", INTERCEPTED + "    enabled: false\n", ["/a", "/b", "/c", "/d"]),
        ("micronaut-validation", "", ["/a", "/b", "/c", "/d"]),
    ],
)
def test_micronaut_lets_nobody_in_unless_something_says_so(proposed, pom, library, settings, open_ones):
    source = """import io.micronaut.http.annotation.*; @Controller class A { @Get("/a") String a() { }
        @Get("/b") String b() { } @Get("/c") String c() { }
        @Secured(SecurityRule.IS_ANONYMOUS) @Get("/d") String d() { } }"""
    files = {f"{RESOURCES}application.yml": settings, f"{JAVA}A.java": source}
    parts = dependencies("micronaut-http-server-netty", library)
    _, loaded = proposed({"pom.xml": pom(parts), **files})
    assert [each.path for each in loaded.scenario.endpoints] == open_ones
