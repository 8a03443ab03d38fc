package library.catalogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import library.catalogue.beside.Register;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** The whole service with the register beside it, asked over HTTP. */
class CatalogueTest {

    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static Register register;
    private static ConfigurableApplicationContext service;

    @BeforeAll
    static void start() throws IOException {
        register = Register.start(0);
        service = SpringApplication.run(
                CatalogueService.class, "--server.port=0", "--catalogue.register=http://127.0.0.1:" + register.port());
    }

    @AfterAll
    static void stop() {
        service.close();
        register.close();
    }

    @Test
    void anEntrySaysWhereEachBookStands() throws Exception {
        JsonNode entry = json("/catalogue/writer-17");
        assertEquals("writer-17", entry.get("name").asText());
        assertEquals(1817, entry.get("born").asInt());
        assertEquals(5, entry.get("copies").size());
        JsonNode copy = entry.get("copies").get(0);
        assertEquals("Book 1 of writer 17", copy.get("title").asText());
        JsonNode branch = json("/branches/" + copy.get("branch").asInt());
        JsonNode shelf = branch.get("shelves").get(copy.get("shelf").asInt() - 1);
        assertEquals(copy.get("shelf").asInt(), shelf.get("number").asInt());
    }

    @Test
    void aBranchHasAsManyBooksAsItsShelves() throws Exception {
        JsonNode branch = json("/branches/30");
        int books = 0;
        for (JsonNode shelf : branch.get("shelves")) {
            books += shelf.get("books").asInt();
        }
        assertEquals(200, branch.get("shelves").size());
        assertEquals(books, branch.get("books").asInt());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/catalogue/writer-0",
                "/catalogue/writer-20001",
                "/catalogue/poet-1",
                "/catalogue/writer",
                "/branches/0",
                "/branches/31"
            })
    void whatIsNotThereIsNotFound(String path) throws Exception {
        assertEquals(404, get(path).statusCode());
    }

    @Test
    void theRegisterIsTimedWithoutTheNameInTheLabel() throws Exception {
        get("/catalogue/writer-1");
        get("/catalogue/writer-2");
        String page = get("/actuator/prometheus").body();
        assertTrue(page.contains(
                "httpcomponents_httpclient_request_seconds_count{method=\"GET\",status=\"200\",uri=\"/writers\",}"));
        assertFalse(page.contains("writer-"));
    }

    @Test
    void everyShelfIsOnTheMetricsPage() throws Exception {
        String page = get("/actuator/prometheus").body();
        assertEquals(
                6_000,
                page.lines()
                        .filter(line -> line.startsWith("catalogue_shelf_books{"))
                        .count());
        assertEquals(
                30,
                page.lines()
                        .filter(line -> line.startsWith("catalogue_branch_books{"))
                        .count());
    }

    private static JsonNode json(String path) throws IOException, InterruptedException {
        HttpResponse<String> answer = get(path);
        assertEquals(200, answer.statusCode(), answer.body());
        return new ObjectMapper().readTree(answer.body());
    }

    private static HttpResponse<String> get(String path) throws IOException, InterruptedException {
        String port = service.getEnvironment().getProperty("local.server.port");
        URI uri = URI.create("http://127.0.0.1:" + port + path);
        return CLIENT.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
    }
}
