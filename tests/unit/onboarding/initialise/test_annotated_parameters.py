"""Parameters as annotations tell them: how a request names those of the query, and which values it may give."""

import pytest

from pacecar.onboarding.initialise.annotations import in_source

MICRONAUT = "import io.micronaut.http.annotation.*;"
JAX_RS = "import jakarta.ws.rs.*;"


def paths(source):
    return [endpoint.path for endpoint in in_source(source).endpoints]


class TestParameters:
    """Those of the query are asked by the name that a request uses."""

    @pytest.mark.parametrize(
        ("parameter", "query"),
        [
            ('@RequestParam("q") String query', "?q=${pick(a,b)}"),
            ('@RequestParam(value = "q") String query', "?q=${pick(a,b)}"),
            ('@RequestParam(required = true, name = "q") final String query', "?q=${pick(a,b)}"),
            ("@RequestParam(NAME) String query", "?n=${pick(a,b)}"),
            ("@RequestParam final String q", "?q=${pick(a,b)}"),
            ('@RequestParam @Size(min = 1, max = MAX) @Pattern(regexp = "[a-z,]{2}") String q', "?q=${pick(a,b)}"),
            ("@Valid @RequestParam List<@Positive Long> ids, Pageable page", "?ids=${int(1,10)}"),
            ('@RequestParam long a, @RequestParam("b") Map<String, List<String>> m', "?a=${int(1,10)}&b=${pick(a,b)}"),
            ("@RequestParam Optional<String> q", ""),
            ("@RequestParam @Nullable String q", ""),
            ("@RequestParam Map<String, String> all", ""),
            ('@RequestParam(name = "q", required = false) String query', ""),
            ('@RequestParam(value = "q", defaultValue = "a, b") String query', ""),
        ],
    )
    def test_of_spring(self, parameter, query):
        source = f"""
            @RestController class A {{
                static final String NAME = "n";
                @GetMapping("/a") @ResponseBody List<Order> a({parameter}) {{}}
            }}"""
        assert paths(source) == [f"/a{query}"]

    @pytest.mark.parametrize(
        ("parameter", "query"),
        [
            ("@RequestParam q: String", "?q=${pick(a,b)}"),
            ('@RequestParam("q") query: Int', "?q=${int(1,10)}"),
            ("@RequestParam q: String?", ""),
            ("@RequestParam q: String = NONE", ""),
            ("@RequestParam ids: List<Long>", "?ids=${int(1,10)}"),
        ],
    )
    def test_of_kotlin(self, parameter, query):
        source = f"""
            @RestController class A {{
                @GetMapping("/a") fun a({parameter}): List<Order> = all()
                @GetMapping("/b") fun b(@RequestParam other: String) = all()
            }}"""
        assert paths(source) == [f"/a{query}", "/b?other=${pick(a,b)}"], "each has its own"

    @pytest.mark.parametrize(
        ("parameter", "query"),
        [
            ('@QueryValue("q") String query', "?q=${pick(a,b)}"),
            ("@QueryValue int page", "?page=${int(1,10)}"),
            ('@QueryValue(defaultValue = "1") int page', ""),
            ("@QueryValue Optional<Integer> page", ""),
            ("@QueryValue String id", ""),
        ],
    )
    def test_of_micronaut(self, parameter, query):
        source = f'{MICRONAUT} @Controller("/a") class A {{ @Get("/{{id}}{{?page}}") Item one({parameter}) {{}} }}'
        assert [path.replace("/a/${int(1,10)}", "").replace("/a/${pick(a,b)}", "") for path in paths(source)] == [query]

    def test_of_jax_rs(self):
        source = f"""{JAX_RS} @Path("/a") class A {{
            @GET A a(@QueryParam(A.Q) @Encoded final String query, @QueryParam("n") @DefaultValue("1") int n) {{}}
            public static final String Q = "q";
        }}"""
        assert paths(source) == ["/a?q=${pick(a,b)}"]

    @pytest.mark.parametrize(
        ("parameter", "value"),
        [
            ("@PathVariable UUID key", "${pick(0b5c3b52-6a3c-4c1f-9b1e-2f6f0a7d9c11)}"),
            ('@PathVariable("key") final java.util.UUID uuid', "${pick(0b5c3b52-6a3c-4c1f-9b1e-2f6f0a7d9c11)}"),
            ('@PathVariable(name = "key") @Pattern(regexp = "[a-z]+") String name', "${pick(a,b)}"),
            ("@PathVariable LocalDate key", "${pick(2025-01-15,2025-02-03)}"),
            ("@PathVariable Long key", "${int(1,10)}"),
            ("@PathVariable OrderKey key", "${int(1,10)}"),
            ("@PathVariable(Names.KEY) String name", "${int(1,10)}"),
            ("String other", "${int(1,10)}"),
        ],
    )
    def test_of_a_path_have_values_of_their_type(self, parameter, value):
        source = f'@RestController class A {{ @GetMapping("/a/{{key}}") void a({parameter}, Model model) {{}} }}'
        assert paths(source) == [f"/a/{value}"]

    def test_of_a_path_in_kotlin_and_jax_rs(self):
        kotlin = '@RestController class A { @GetMapping("/a/{key}") fun a(@PathVariable key: UUID) = one(key) }'
        jax_rs = f'{JAX_RS} @Path("/a/{{key}}") class A {{ @GET A a(@PathParam("key") UUID id) {{}} }}'
        assert paths(kotlin) == paths(jax_rs) == ["/a/${pick(0b5c3b52-6a3c-4c1f-9b1e-2f6f0a7d9c11)}"]

    def test_one_without_a_readable_name_leaves_its_endpoint_out(self):
        found = in_source('@RestController class A { @GetMapping("/a") void a(@RequestParam(X.Q) String q) {} }')
        assert (found.endpoints, found.unread) == ((), ("@RequestParam(X.Q)",))
