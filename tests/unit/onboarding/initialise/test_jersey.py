"""JAX-RS without a framework: which port and path a URI, a servlet or `web.xml` gives to resources."""

import pytest

from support.maven_parts import JAVA

RESOURCE = 'import jakarta.ws.rs.*; @Path("users") class Users { @GET String all() { return ""; } }'


@pytest.mark.parametrize(
    ("main", "port", "path"),
    [
        (
            'URI U = URI.create("http://localhost:8080/"); GrizzlyHttpServerFactory.createHttpServer(U, c);',
            8080,
            "/users",
        ),
        (
            'String U = "http://0.0.0.0:9998/myapp/"; GrizzlyHttpServerFactory.createHttpServer(URI.create(U), c);',
            9998,
            "/myapp/users",
        ),
        ('JdkHttpServerFactory.createHttpServer(URI.create("http://127.0.0.1:8080/api"), c);', 8080, "/api/users"),
        ('client.target("http://localhost:8080/elsewhere");', None, "/users"),
        (
            'new Server(7070); ServletHolder h = context.addServlet(ServletContainer.class, "/api/*");',
            7070,
            "/api/users",
        ),
        (
            'var h = new ServletHolder(new ServletContainer(c)); ctx.addServlet(h, "/rest/*"); server.start(8080);',
            8080,
            "/rest/users",
        ),
        (
            'new ServletContainer(c); ctx.addServlet(a, "/a/*"); ctx.addServlet(b, "/b/*");',
            None,
            "/users",
        ),
        (
            'ctx.addServlet(console, "/console/*"); ctx.addServlet(new H(new ServletContainer(c)), "/api/*");',
            None,
            "/api/users",
        ),
        ('ctx.addServlet(new ServletHolder(new ServletContainer(c)), "/*");', None, "/users"),
    ],
)
def test_sources(proposed, pom, main, port, path):
    source = f"class Main {{ public static void main(String[] args) {{ {main} }} }}"
    _, loaded = proposed({"pom.xml": pom(), f"{JAVA}Main.java": source, f"{JAVA}Users.java": RESOURCE})
    assert loaded.target.port == port
    assert [each.path for each in loaded.scenario.endpoints] == [path]


@pytest.mark.parametrize(
    ("servlet", "name", "pattern", "path"),
    [
        ("org.glassfish.jersey.servlet.ServletContainer", "jersey", "/rest/*", "/rest/users"),
        ("org.shop.Other", "jersey", "/rest/*", "/users"),
        ("org.shop.Other", "jakarta.ws.rs.core.Application", "/v1/*", "/v1/users"),
        ("org.glassfish.jersey.servlet.ServletContainer", "jersey", "/*", "/users"),
    ],
)
def test_web_xml(proposed, pom, servlet, name, pattern, path):
    text = f"""<web-app>
        <servlet><servlet-name>jersey</servlet-name><servlet-class>{servlet}</servlet-class></servlet>
        <servlet-mapping>
            <servlet-name>{name}</servlet-name>
            <url-pattern>{pattern}</url-pattern>
        </servlet-mapping>
    </web-app>"""
    files = {"src/main/webapp/WEB-INF/web.xml": text, f"{JAVA}Users.java": RESOURCE}
    _, loaded = proposed({"pom.xml": pom("<packaging>war</packaging>"), **files})
    assert [each.path for each in loaded.scenario.endpoints] == [path]


def test_the_port_of_a_uri_is_not_taken_where_the_sources_ask_for_another(proposed, pom):
    main = 'getenv("PORT"); GrizzlyHttpServerFactory.createHttpServer(URI.create("http://localhost:8080/api"), c);'
    source = f"class Main {{ public static void main(String[] args) {{ {main} }} }}"
    _, loaded = proposed({"pom.xml": pom(), f"{JAVA}Main.java": source, f"{JAVA}Users.java": RESOURCE})
    assert loaded.target.port is None
    assert loaded.target.env == {"PORT": "{port}"}
