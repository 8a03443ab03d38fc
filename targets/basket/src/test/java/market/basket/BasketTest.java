package market.basket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import market.basket.beside.Carrier;
import market.basket.beside.DelayLine;
import market.basket.web.Server;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The whole service with what stands beside it, asked over HTTP. */
class BasketTest {

    private static final String DATABASE = "jdbc:h2:tcp://127.0.0.1:%d/mem:basket;DB_CLOSE_DELAY=-1";
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static org.h2.tools.Server store;
    private static DelayLine line;
    private static Carrier carrier;
    private static Server server;

    @BeforeAll
    static void start() throws Exception {
        store = org.h2.tools.Server.createTcpServer("-tcpPort", "0", "-ifNotExists")
                .start();
        line = DelayLine.start(0, store.getPort());
        carrier = Carrier.start(0);
        server = Server.start(0, DATABASE.formatted(line.port()), URI.create("http://127.0.0.1:" + carrier.port()));
    }

    @AfterAll
    static void stop() throws IOException {
        server.stop();
        carrier.close();
        line.close();
        store.stop();
    }

    @Test
    void aBasketComesWithItsLinesInOrder() throws Exception {
        JsonObject basket = new JsonObject(get("/baskets/2").body());
        assertEquals(2, basket.getInteger("id"));
        JsonArray lines = basket.getJsonArray("lines");
        assertEquals(7, lines.size());
        int cents = 0;
        for (int i = 0; i < lines.size(); i++) {
            JsonObject product = lines.getJsonObject(i).getJsonObject("product");
            assertEquals((2 * 31 + (i + 1) * 17) % 200 + 1, product.getInteger("id"));
            assertEquals(
                    new JsonObject(get("/products/" + product.getInteger("id")).body()), product);
            cents += lines.getJsonObject(i).getInteger("cents");
        }
        assertEquals(cents, basket.getInteger("cents"));
    }

    @Test
    void aBasketIsReadInOneStatement() throws Exception {
        try (Connection connection = DriverManager.getConnection(DATABASE.formatted(store.getPort()), "sa", "");
                Statement statement = connection.createStatement()) {
            statement.execute("set query_statistics true");
            get("/baskets/11");
            assertEquals(
                    1,
                    number(
                            statement,
                            "select sum(execution_count) from information_schema.query_statistics"
                                    + " where sql_statement like '%l.quantity, p.id%'"));
            statement.execute("set query_statistics false");
        }
    }

    @Test
    void aBasketThatWasAddedIsThere() throws Exception {
        HttpResponse<String> added = post(
                "{\"customer\": \"Ada\", \"town\": 3, \"lines\": [{\"product\": 1, \"quantity\": 2}, {\"product\": 9, \"quantity\": 1}]}");
        assertEquals(201, added.statusCode(), added.body());
        JsonObject told = new JsonObject(added.body());
        JsonObject basket = new JsonObject(get("/baskets/" + told.getLong("id")).body());
        assertEquals("Ada", basket.getString("customer"));
        assertEquals(2, basket.getJsonArray("lines").getJsonObject(0).getInteger("quantity"));
        assertEquals(told.getInteger("cents"), basket.getInteger("cents"));
    }

    @Test
    void tablesStayAsLargeAsTheyAre() throws Exception {
        for (int i = 0; i < 60; i++) {
            assertEquals(
                    201,
                    post("{\"customer\": \"Bo\", \"town\": 0, \"lines\": [{\"product\": 5, \"quantity\": 1}]}")
                            .statusCode());
        }
        try (Connection connection = DriverManager.getConnection(DATABASE.formatted(store.getPort()), "sa", "");
                Statement statement = connection.createStatement()) {
            assertEquals(2_050, number(statement, "select count(*) from baskets"));
            assertEquals(
                    0,
                    number(
                            statement,
                            "select count(*) from basket_lines where basket_id not in (select id from baskets)"));
        }
        assertEquals(404, get("/baskets/2001").statusCode());
        assertEquals(200, get("/baskets/2000").statusCode());
    }

    @Test
    void theCarrierSaysWhenABasketArrives() throws Exception {
        HttpResponse<String> answer = get("/baskets/6/delivery");
        JsonObject delivery = new JsonObject(answer.body());
        assertEquals(6, delivery.getInteger("basket"));
        assertEquals(1 + 6 % 4, delivery.getInteger("days"));
        assertTrue(delivery.getInteger("cents") >= 390);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/baskets/900000", "/baskets/900000/delivery", "/products/201"})
    void whatIsNotThereIsNotFound(String path) throws Exception {
        HttpResponse<String> answer = get(path);
        assertEquals(404, answer.statusCode());
        assertTrue(answer.body().startsWith("there is no such "));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/baskets/first", "/products/99999999999", "/baskets/-1/delivery"})
    void anIdIsANumber(String path) throws Exception {
        assertEquals(400, get(path).statusCode());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "{",
                "{\"customer\": \"Ada\", \"town\": 1}",
                "{\"customer\": \"Ada\", \"town\": 1, \"lines\": []}",
                "{\"customer\": \"Ada\", \"town\": 1, \"lines\": [null]}",
                "{\"customer\": \"Ada\", \"town\": 1, \"lines\": [7]}",
                "{\"customer\": \" \", \"town\": 1, \"lines\": [{\"product\": 1, \"quantity\": 1}]}",
                "{\"customer\": \"Ada\", \"town\": 1, \"lines\": [{\"product\": 0, \"quantity\": 1}]}",
                "{\"customer\": \"Ada\", \"town\": 1, \"lines\": [{\"product\": 1, \"quantity\": 0}]}"
            })
    void aBasketThatIsNoneIsRefused(String body) throws Exception {
        assertEquals(400, post(body).statusCode());
    }

    @Test
    void aBodyThatIsTooLargeIsRefused() throws Exception {
        assertEquals(413, post(" ".repeat(20_000)).statusCode());
    }

    @Test
    void requestsAreCountedByRoute() throws Exception {
        get("/products/1");
        assertEquals("UP\n", get("/health").body());
        String page = get("/metrics").body();
        assertTrue(page.contains("http_server_request_duration_seconds_count{http_request_method=\"GET\","
                + "http_response_status_code=\"200\",http_route=\"/products/{id}\"}"));
        assertTrue(page.contains("jvm_memory_used_bytes"));
    }

    private static int number(Statement statement, String question) throws SQLException {
        try (ResultSet rows = statement.executeQuery(question)) {
            rows.next();
            return rows.getInt(1);
        }
    }

    private static HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return CLIENT.send(request(path).build(), BodyHandlers.ofString());
    }

    private static HttpResponse<String> post(String body) throws IOException, InterruptedException {
        return CLIENT.send(
                request("/baskets").POST(BodyPublishers.ofString(body)).build(), BodyHandlers.ofString());
    }

    private static HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path));
    }
}
