"""Endpoints of an OpenAPI document, for services whose controllers are generated from it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pacecar.inputs.config.fields import template
from pacecar.onboarding.initialise.endpoints import guessed_endpoints
from pacecar.onboarding.initialise.openapi import in_documents

DOCUMENT = """
openapi: 3.0.1
servers: [{url: "http://localhost:9966/petclinic/api"}]
paths:
  /owners:
    get:
      parameters:
        - {name: lastName, in: query, schema: {type: string}}
        - {name: size, in: query, required: true, schema: {type: integer}}
        - {name: order, in: query, required: true, schema: {type: string, enum: [up, down]}}
    post: {}
  /owners/{ownerId}/{kind}:
    parameters:
      - {$ref: "#/components/parameters/owner"}
      - {name: kind, in: path, schema: {type: string, example: cat}}
    get: {}
  /odd path: {get: {}}
components:
  parameters:
    owner: {name: ownerId, in: path, required: true, schema: {type: integer}}
"""
OPENAPI = "src/main/resources/openapi.yml"


def found(root, base=""):
    return {endpoint.name: endpoint.path for endpoint in in_documents(root, base=base)}


@pytest.mark.parametrize("base", ["", "/petclinic"])
def test_paths_lie_below_the_server(project, base):
    assert found(project({OPENAPI: DOCUMENT}), base) == {
        "GET /petclinic/api/owners": "/petclinic/api/owners?size=${int(1,10)}&order=${pick(up,down)}",
        "POST /petclinic/api/owners": "/petclinic/api/owners",
        "GET /petclinic/api/owners/{ownerId}/{kind}": "/petclinic/api/owners/${int(1,10)}/${pick(cat)}",
    }


def test_without_a_server_the_context_path_counts(project):
    root = project({"src/main/resources/static/openapi.json": json.dumps({"paths": {"/a": {"get": {}}}})})
    assert found(root, "/shop") == {"GET /shop/a": "/shop/a"}


def test_it_is_read_where_annotations_tell_nothing(proposed, pom):
    _, loaded = proposed({"pom.xml": pom(), OPENAPI: DOCUMENT})
    assert [each.name for each in loaded.scenario.endpoints] == [
        "GET /petclinic/api/owners",
        "GET /petclinic/api/owners/{ownerId}/{kind}",
    ]


@pytest.mark.parametrize(
    "content",
    [
        "paths: 1",
        "paths: {/a: 1, /b: {get: 2}}",
        "paths: {/a: {get: {parameters: [{$ref: '#/x/y'}, 3]}}}",
        "servers: [1]\npaths: {}",
        "[",
    ],
)
def test_documents_that_are_none(project, content):
    assert found(project({OPENAPI: content})).keys() <= {"GET /a"}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["paths", "get", "parameters", "/a/{b}", "name", "in", "schema", "$ref"]), inner
        )
    ),
    max_leaves=25,
)


@given(document=JSON, paths=JSON)
def test_whatever_a_document_holds_the_paths_are_templates(tmp_path_factory, document, paths):
    root = tmp_path_factory.mktemp("module")
    path = root / "src" / "main" / "openapi.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps((document if isinstance(document, dict) else {}) | {"paths": paths}))
    for endpoint in in_documents(root, base=""):
        assert template(endpoint.path) == endpoint.path


def test_what_annotations_do_not_tell_comes_from_it(proposed, pom):
    resource = """import jakarta.ws.rs.*; @Path("/petclinic/api/owners/{id}/{kind}") class A { @GET String a() {} }"""
    _, loaded = proposed({"pom.xml": pom(), OPENAPI: DOCUMENT, "src/main/java/shop/A.java": resource})
    assert [each.name for each in loaded.scenario.endpoints] == [
        "GET /petclinic/api/owners",
        "GET /petclinic/api/owners/{id}/{kind}",
    ]


SHOP = "openapi: 3.0.1\npaths: {/carts: {get: {}}}"
OTHER = "openapi: 3.0.1\npaths: {/prices: {get: {}}}"
MAVEN = """<project><build><plugins><plugin><artifactId>openapi-generator-maven-plugin</artifactId><executions>
    <execution><configuration>
        <inputSpec>${{project.basedir}}/src/main/resources/openapi-prices.yaml</inputSpec>
        <generatorName>java</generatorName>
    </configuration></execution>
    <execution><configuration>
        <generatorName>spring</generatorName>{library}
        <inputSpec>
            {spec}
        </inputSpec>
    </configuration></execution></executions></plugin></plugins></build></project>"""
GRADLE = """openApiGenerate {{ generatorName.set("kotlin-spring") ; inputSpec.set({spec}) }}
    tasks.register("prices") {{
        generatorName = "kotlin"
        inputSpec = "$projectDir/src/main/resources/openapi-prices.yaml"
    }}"""


class TestOfABuild:
    """A build names what controllers are made of, and what only clients are."""

    @pytest.mark.parametrize(
        ("script", "text"),
        [
            ("pom.xml", MAVEN.format(spec="${project.basedir}/../specs/api.yaml", library="")),
            ("pom.xml", MAVEN.format(spec="${project.parent.basedir}/specs/api.yaml", library="")),
            ("build.gradle.kts", GRADLE.format(spec='"$rootDir/specs/api.yaml"')),
            ("build.gradle.kts", GRADLE.format(spec='"${rootProject.projectDir}/specs/api.yaml"')),
            ("build.gradle", GRADLE.format(spec='file("../specs/api.yaml").path')),
        ],
    )
    def test_is_read_where_it_lies(self, project, script, text):
        root = project(
            {
                ".git/HEAD": "",
                "specs/api.yaml": SHOP,
                f"shop/{script}": text,
                "shop/src/main/resources/openapi-prices.yaml": OTHER,
            }
        )
        assert list(found(root / "shop")) == ["GET /carts"]

    @pytest.mark.parametrize("library", ["<library>spring-cloud</library>", "<library>spring-http-interface</library>"])
    def test_clients_are_of_other_services(self, project, library):
        script = MAVEN.format(spec="${project.basedir}/api.yaml", library=library)
        root = project({"pom.xml": script, "api.yaml": SHOP, "src/main/resources/openapi-prices.yaml": OTHER})
        assert found(root) == {}

    @pytest.mark.parametrize("spec", ["${openapi.file}", "https://shop.org/api.yaml", "/etc/hostname", "../../a.yaml"])
    def test_what_cannot_be_found_is_left(self, project, spec):
        root = project({"pom.xml": MAVEN.format(spec=spec, library=""), "src/main/resources/openapi.yaml": SHOP})
        assert list(found(root)) == ["GET /carts"]

    def test_adds_to_annotations(self, project):
        source = (
            "@RestController class A { " + "".join(f'@GetMapping("/{n}") void a{n}() {{}} ' for n in range(4)) + "}"
        )
        script = MAVEN.format(spec="${project.basedir}/api.yaml", library="")
        root = project({"pom.xml": script, "api.yaml": SHOP, "src/main/java/shop/A.java": source})
        assert "GET /carts" in [each.name for each in guessed_endpoints(root).found]
