"""Endpoints of an OpenAPI document, for services whose controllers are generated from it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pacecar.inputs.config.fields import template
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
