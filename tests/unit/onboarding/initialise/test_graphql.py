"""Queries of GraphQL: those of a schema that can be asked for as they are, and where."""

import json

import pytest

from pacecar.onboarding.initialise.graphql import GraphQl, queries_in
from support.maven_parts import RESOURCES, dependencies

SCHEMA = '''
    """ A query: type Query { no: String } """
    type Query {
        books(page: Int = 0, language: Language): [Book!]!   # all: of them
        book(id: ID!): Book
        named(name: String!): Book
        search: [Found]
        now: Date
        "What has no plain field"
        empty: Nothing
    }
    extend type Query { languages: [Language!]! }
    type Book implements Node @key(fields: "id") {
        id: ID!, title(short: Boolean): String! language: Language
        author: Author
        page(number: Int!): String
        a: Int b: Int c: Int d: Int
    }
    type Author { books: [Book] }
    type Nothing { author: Author }
    type Mutation { remove(id: ID!): Boolean }
    enum Language { DE EN }
    union Found = Book | Author
    scalar Date
'''


def asked(root):
    """The queries of the schema in a project, by their names."""
    return {
        each.label: json.loads(each.body or "{}")["query"]
        for each in queries_in([root], GraphQl(path="/graphql", folder="graphql"))
    }


def test_those_that_need_numbers_alone(project):
    root = project({f"{RESOURCES}graphql/shop.graphqls": SCHEMA})
    assert asked(root) == {
        "books": "{ books { id title language a b } }",
        "search": "{ search { __typename } }",
        "now": "{ now }",
        "languages": "{ languages }",
        "book": "{ book(id: ${int(1,10)}) { id title language a b } }",
    }


@pytest.mark.parametrize(
    ("schema", "found"),
    [
        ("type Query { a(b: String!): C }", {"__typename": "{ __typename }"}),
        ("type Query", {"__typename": "{ __typename }"}),
        ("type Book { id: ID! }", {}),
        ("type Query {", {}),
        ("", {}),
        ("type Query { " * 1000, {}),
        ('"""' * 999, {}),
    ],
)
def test_where_there_is_none_the_name_of_the_type(project, schema, found):
    assert asked(project({f"{RESOURCES}graphql/a.graphqls": schema})) == found


def test_a_schema_elsewhere_is_that_of_another_service(project):
    assert asked(project({f"{RESOURCES}documents/a.graphqls": "type Query { names: [String] }"})) == {}


@pytest.mark.parametrize(
    ("library", "folder", "settings", "path"),
    [
        ("spring-boot-starter-graphql", "graphql", "", "/graphql"),
        (
            "spring-boot-starter-graphql",
            "graphql",
            "spring.graphql.path=/query\nserver.servlet.context-path=/shop",
            "/shop/query",
        ),
        ("graphql-dgs-spring-graphql-starter", "schema", "spring.graphql.http.path=/q", "/q"),
        ("graphql-spring-boot-starter", "any", "graphql.servlet.mapping=/g", "/g"),
        ("graphql-dgs-client", "schema", "", None),
        ("spring-boot-starter-web", "graphql", "", None),
    ],
)
def test_where_they_are_asked(proposed, pom, library, folder, settings, path):
    text, loaded = proposed(
        {
            "pom.xml": pom(dependencies("spring-boot-starter-web", library)),
            f"{RESOURCES}application.properties": settings,
            f"{RESOURCES}{folder}/shop.graphqls": "type Query { names: [String] }",
        }
    )
    assert (f'name = "POST {path} names"' in text) == (path is not None)
    if path is not None:
        (endpoint,) = loaded.scenario.endpoints
        assert (endpoint.method, endpoint.path, endpoint.body) == ("POST", path, '{"query": "{ names }"}')
        assert loaded.target.ready.path != path


@pytest.mark.hostile
@pytest.mark.parametrize(
    "piece",
    ["type Query { a: A } ", "type A ", "type A {", "a(a(", 'a: "', '"""a', "a: [", "scalar A\n", "type Query { a(b: "],
)
def test_long_schemas_end_soon(project, piece):
    root = project({f"{RESOURCES}graphql/a.graphqls": "type Query { " + piece * (900_000 // len(piece))})
    assert len(asked(root)) <= 8
