package bank.ledgerdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import bank.ledgerdb.web.Service;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The whole service, asked over HTTP. */
class LedgerTest {

    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static Service service;

    @BeforeAll
    static void start() throws Exception {
        service = Service.start(0);
    }

    @AfterAll
    static void stop() {
        service.stop();
    }

    @Test
    void anEntryIsTheNewestOfItsAccountAndChangesTheBalance() throws Exception {
        String before = asked("GET", "/accounts/7", "").body();
        HttpResponse<String> added = asked("POST", "/accounts/7/entries", "cents=-1250&text=new+shoes");
        assertEquals(201, added.statusCode());
        assertEquals(balance(before) - 1250, balance(added.body()));
        assertEquals(added.body(), asked("GET", "/accounts/7", "").body());
        String statement = asked("GET", "/accounts/7/entries", "").body();
        assertTrue(statement.startsWith("[" + added.body() + "," + before), statement);
        assertEquals(100, statement.split("seal").length - 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/accounts/0", "/accounts/21", "/accounts/a", "/accounts/1/entry", "/"})
    void whatIsNotThereIsNotFound(String path) throws Exception {
        assertEquals(404, asked("GET", path, "").statusCode());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "cents=1", "cents=1.5&text=half", "cents=1&text=%22", "cents=1&text=%zz", "text=nothing"})
    void anEntryThatIsNoneIsRefused(String body) throws Exception {
        assertEquals(400, asked("POST", "/accounts/1/entries", body).statusCode());
    }

    @Test
    void anAccountCannotBeDeleted() throws Exception {
        assertEquals(405, asked("DELETE", "/accounts/1", "").statusCode());
    }

    @Test
    void aConnectionEndsWithTheAnswerWhereThatWasAskedFor() throws Exception {
        try (var socket = new Socket("127.0.0.1", service.port())) {
            socket.setSoTimeout(10_000);
            var request = "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            assertTrue(answer.endsWith("UP\n"), answer);
        }
    }

    @Test
    void metricsCountRequestsByRoute() throws Exception {
        asked("GET", "/accounts/3", "");
        String page = asked("GET", "/metrics", "").body();
        assertTrue(page.contains("http_route=\"/accounts/{id}\""), page);
        assertEquals("UP\n", asked("GET", "/health", "").body());
    }

    private static long balance(String entry) {
        return Long.parseLong(entry.replaceAll(".*\"balance\":(-?\\d+).*", "$1"));
    }

    private static HttpResponse<String> asked(String method, String path, String body)
            throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + service.port() + path))
                .method(method, BodyPublishers.ofString(body))
                .build();
        return CLIENT.send(request, BodyHandlers.ofString());
    }
}
