"""Routes that calls add: nested, mounted elsewhere, by constants, and what only looks like one."""

import pytest

from pacecar.onboarding.initialise.endpoints import guessed_endpoints
from pacecar.onboarding.initialise.mounts import endpoints_of
from pacecar.onboarding.initialise.routes import routing_in

KTOR = "import io.ktor.server.routing.*\n"
JAVALIN = "import io.javalin.Javalin; import static io.javalin.apibuilder.ApiBuilder.*;\n"
HELIDON = "import io.helidon.webserver.http.*;\n"
VERTX = "import io.vertx.ext.web.Router;\n"
SPARK = "import static spark.Spark.*;\n"


def routes(*sources):
    """Names of the endpoints in the texts of files, sorted."""
    routings = [routing_in(source, file=number) for number, source in enumerate(sources)]
    return sorted(endpoint.name for endpoint in endpoints_of(routings, {}))


@pytest.mark.parametrize(
    "source",
    [
        JAVALIN + 'fun main() { app.routes { get("/") { it.redirect("/users") } ; get("/users") { it.json(a) } } }',
        JAVALIN + 'class A { void m() { app.get("/", ctx -> ctx.redirect("/users")); app.get("/users", c -> {}); } }',
        KTOR + 'fun m() { routing { get("/") { call.respondRedirect("/users") } ; get("/users") { } } }',
    ],
)
def test_what_only_sends_elsewhere_is_no_endpoint(source):
    assert routes(source) == ["GET /users"]


def test_what_sends_elsewhere_once_it_has_worked_is_one():
    work = "val found = dao.find(call.parameters);" * 10
    source = f'fun m() {{ routing {{ get("/a") {{ {work} if (found == null) call.respondRedirect("/") }} }} }}'
    assert routes(KTOR + source) == ["GET /a"]


@pytest.mark.parametrize(
    ("source", "route"),
    [
        (SPARK + 'class A { void m() { get("/books/", Books.all); } }', "GET /books/"),
        (SPARK + 'class A { void m() { path("/api", () -> get("/", Books.all)); } }', "GET /api/"),
        (KTOR + 'fun m() { routing { route("/books") { get("/") { } } } }', "GET /books/"),
        (KTOR + 'fun m() { routing { route("/books") { get { } } } }', "GET /books"),
        (JAVALIN + 'class A { void m() { path("books", () -> { get("/", Books::all); }); } }', "GET /books"),
        (VERTX + 'class A { void m() { router.get("/books/").handler(this::all); } }', "GET /books/"),
        (KTOR + 'fun m() { routing { get("/") { } } }', "GET /"),
    ],
)
def test_a_slash_at_the_end_belongs_to_the_path(source, route):
    assert routes(source) == [route]


class TestNested:
    """A path is relative to those of the calls around it."""

    def test_in_ktor(self):
        source = """fun Application.module() {
            routing {
                get("/") { call.respond(client.get("/elsewhere")) }
                route("users") {
                    get { }
                    post("login") { }
                    authenticate("jwt") { route("{id}") { get { } ; delete("/posts/{post?}") { } } }
                    get("files/{...}") { }
                }
                route("/old", HttpMethod.Get) { handle { } }
            }
        }"""
        assert routes(KTOR + source) == [
            "DELETE /users/{id}/posts/{post}",
            "GET /",
            "GET /old",
            "GET /users",
            "GET /users/files",
            "GET /users/{id}",
            "POST /users/login",
        ]

    def test_in_javalin(self):
        java = """class App { void main() { Javalin.create(config -> config.router.apiBuilder(() -> {
            path("api", () -> {
                get(Users::all);
                path("users", () -> { get("{user-id}", Users::one); post(ctx -> {}, Role.ANY); });
            });
            get("/signin", new Page("a"));
        })).start(7000); } }"""
        kotlin = 'fun main() { app.routes { path("likes") { delete(Likes::delete, LOGGED_IN) } } }'
        assert routes(JAVALIN + java, JAVALIN + kotlin) == [
            "DELETE /likes",
            "GET /api",
            "GET /api/users/{user-id}",
            "GET /signin",
            "POST /api/users",
        ]

    def test_in_spark(self):
        source = """class App { public static void main(String[] a) {
            path("/api", () -> { path("/email", () -> { post("/add", Email.add); get("/:id", Email.get); }); });
            get("*", View.notFound);
        } }"""
        assert routes(SPARK + source) == ["GET /api/email/{id}", "POST /api/email/add"]

    def test_below_a_path_that_cannot_be_read_nothing_is_told(self):
        assert routes(KTOR + 'fun Route.a(prefix: String) { route(prefix) { get { } ; get("/b") { } } }') == []


def test_what_asks_for_a_login_in_ktor():
    app = """fun Application.module() { routing {
        get("/open") { }
        authenticate("jwt") { get("/own") { } ; users() ; route("/all") { shared() } }
        authenticate(optional = true) { get("/either") { } }
        authenticate { post("/orders") { } }
        shared()
    } }"""
    others = """fun Route.users() { get("/users") { } }
        fun Route.shared() { get("/shared") { } }"""
    routings = [routing_in(KTOR + source, file=number) for number, source in enumerate((app, others))]
    found = {each.name: each.login for each in endpoints_of(routings, {})}
    assert {name for name, login in found.items() if login} == {"GET /own", "GET /users", "POST /orders"}
    assert {name for name, login in found.items() if login is None} == {"GET /open", "GET /either", "GET /all/shared"}


class TestMounted:
    """What adds routes is often called where the path above them stands."""

    def test_functions_of_kotlin(self):
        app = 'fun Application.module() { routing { route("/api") { v1() } ; status() } }'
        v1 = 'fun Route.v1() { route("/v1") { users() } }'
        users = 'fun Route.users() = route("users") { get { } }\nfun Route.status() { get("/status") { } }'
        assert routes(KTOR + app, KTOR + v1, KTOR + users) == ["GET /api/v1/users", "GET /status"]

    def test_services_of_helidon(self):
        main = """class Main {
            static void routing(HttpRouting.Builder routing) {
                Greetings late = new Greetings();
                routing.register("/greet", new GreetService(config)).register("/late", late);
                register("/x", Main::routing);
            }
            public static void main(String[] args) { WebServer.builder().routing(Main::routing).build().start(); } }"""
        greet = """class GreetService implements HttpService {
            GreetService(Config config) { this.word = config.get("app.greeting"); }
            public void routing(HttpRules rules) { rules.get("/", this::all).get("/{name}", this::one); } }"""
        assert routes(HELIDON + main, HELIDON + greet) == ["GET /greet", "GET /greet/{name}"]

    def test_handlers_of_javalin(self):
        app = 'class App { void a() { path("hotels", new Hotels()::add); path("rooms", rooms.all()); } }'
        hotels = 'class Hotels { void add() { get("/{id}", this::one); } }'
        rooms = 'class Rooms { EndpointGroup all() { return () -> { get("/", this::list); }; } }'
        assert routes(*(JAVALIN + each for each in (app, hotels, rooms))) == ["GET /hotels/{id}", "GET /rooms"]

    def test_routers_of_vertx(self):
        server = """class Server { void start() {
            Router api = Router.router(vertx);
            api.get("/carts/:id").handler(this::one);
            router.route("/api/*").subRouter(api);
            router.mountSubRouter("/admin", Admin.router(vertx));
            router.route().handler(BodyHandler.create());
            router.route(HttpMethod.PUT, "/carts").handler(this::put);
            router.route("/news/*").handler(StaticHandler.create());
        } }"""
        admin = 'class Admin { static Router router(Vertx v) { var r = Router.router(v); r.get("/logs"); return r; } }'
        assert routes(VERTX + server, VERTX + admin) == ["GET /admin/logs", "GET /api/carts/{id}", "PUT /carts"]

    def test_routes_of_vertx_without_a_method(self):
        source = """class Server { void start() {
            router.route("/a").handler(this::a);
            router.route("/b").produces("text/plain").blockingHandler(ctx -> ctx.end("b"));
            router.route("/c").method(HttpMethod.POST).handler(this::c);
            router.route("/d/:id").respond(ctx -> one(ctx));
            router.route("/body").handler(BodyHandler.create());
            router.route("/in").handler(sessionHandler);
            router.route("/login").handler(FormLoginHandler.create(users));
            router.route("/all/*").handler(this::all);
            router.route("/failed").failureHandler(this::failed);
        } }"""
        assert routes(VERTX + source) == ["GET /a", "GET /b", "GET /d/{id}", "POST /c"]

    def test_many_that_call_each_other(self):
        calls = " ".join(f"f{n}()" for n in range(60))
        source = " ".join(f'fun Route.f{n}() {{ route("a") {{ {calls} }} ; get("/{n}") {{ }} }}' for n in range(60))
        assert routes(KTOR + source)


@pytest.mark.parametrize(
    "source",
    [
        'class A { Map<String, String> m = new HashMap<>() {{ put("saturday", "closed"); }}; }',
        'class A { void a() { config.get("app.page"); session.get("/a"); httpClient.get("/a", x); users.put(i, b); } }',
        'class A { int a() { return webClient.post("/a").send(); } void get(Context ctx) { } }',
    ],
)
def test_what_is_no_route(source):
    assert routes(JAVALIN + VERTX + source) == []


def test_a_getter_of_kotlin_is_no_route():
    assert routes(KTOR + 'val Call.user: String get() { return "" }\nfun get(call: Call) { }') == []


SHOP = "src/main/kotlin/shop/"


def named(root):
    return sorted(endpoint.name for endpoint in guessed_endpoints(root).found)


def test_constants_of_other_files(project):
    app = (
        SPARK
        + 'class App { void main() { get(Paths.Web.BOOKS, b); get(Gone.AWAY, c); post(Paths.Web.BOOKS + "/x", d); } }'
    )
    paths = 'class Paths { static class Web { static final String BOOKS = "/books"; } }'
    root = project({"src/main/java/shop/App.java": app, "src/main/java/shop/Paths.java": paths})
    assert named(root) == ["GET /books", "POST /books/x"]
    assert guessed_endpoints(root).remarks == (
        "endpoints whose paths could not be read were left out: get(Gone.AWAY) in App.java",
    )


class TestResources:
    """Classes of Ktor that stand for paths."""

    def test_of_today(self, project):
        paths = """
            @Resource("/articles") class Articles(val sort: String? = "new") {
                @Resource("new") class New(val parent: Articles = Articles())
                @Serializable
                @Resource("{id}") data class Id(val parent: Articles = Articles(), val id: Long) {
                    @Resource("edit") class Edit(val parent: Id)
                }
            }
            @Resource("/login") object Login
            """
        app = """fun Application.module() { routing {
            get<Articles> { } ; get<Articles.Id> { article -> } ; post<Login> { } ; get<New> { } ; get<Unknown> { }
            val service = get<Service>()
        } }"""
        root = project({SHOP + "Paths.kt": KTOR + paths, SHOP + "App.kt": KTOR + app})
        assert named(root) == ["GET /articles", "GET /articles/new", "GET /articles/{id}", "POST /login"]

    def test_within_other_classes(self, project):
        source = """object Shop {
            object Routes { @Resource("/users") object Users; @Resource("/users/{name}") class User(val name: String) }
            class Controller { fun Routing.all() { get<Routes.Users> { } ; get<Routes.User> { user -> } } } }
            object Other { object Routes { @Resource("/others") object Others } }"""
        assert named(project({SHOP + "App.kt": KTOR + source})) == ["GET /users", "GET /users/{name}"]

    def test_of_old(self, project):
        source = """
            @Location("$USERS/{id}") class User(val id: Int) { @Location("/posts") class Posts(val user: User) }
            fun Route.user() { get<User.Posts> { } }
            fun Application.a() { routing { route(API) { user() } } }
            """
        constants = 'const val API = "/api"\nconst val USERS = "/users"'
        root = project({SHOP + "A.kt": "import io.ktor.locations.*\n" + source, SHOP + "B.kt": constants})
        assert named(root) == ["GET /api/users/{id}/posts"]


def test_kotlin_for_several_platforms(project):
    root = project({"src/jvmMain/kotlin/App.kt": KTOR + 'fun main() { routing { get("/a") { } } }'})
    assert named(root) == ["GET /a"]
