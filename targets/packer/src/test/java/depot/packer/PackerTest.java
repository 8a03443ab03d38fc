package depot.packer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import depot.packer.web.Service;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The whole service, asked over HTTP. */
class PackerTest {

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
    void anArchiveIsPackedInThirtyPartsAndKnownAfterwards() throws Exception {
        HttpResponse<String> packed = asked("POST", "/archives/21");
        assertEquals(201, packed.statusCode());
        assertTrue(packed.body().startsWith("{\"id\":21,\"parts\":30,\"bytes\":62914560,"), packed.body());
        assertEquals(packed.body(), asked("GET", "/archives/21").body());
        assertEquals(30, asked("GET", "/archives/21/parts").body().split("checksum").length - 1);
    }

    @Test
    void theSameArchiveIsPackedTheSameWay() throws Exception {
        String before = asked("GET", "/archives/7/parts").body();
        assertEquals(201, asked("POST", "/archives/7").statusCode());
        assertEquals(before, asked("GET", "/archives/7/parts").body());
    }

    @ParameterizedTest
    @ValueSource(strings = {"/archives/0", "/archives/41", "/archives/a", "/archives/1/part", "/"})
    void whatIsNotThereIsNotFound(String path) throws Exception {
        assertEquals(404, asked("GET", path).statusCode());
    }

    @Test
    void anArchiveCannotBeDeleted() throws Exception {
        assertEquals(405, asked("DELETE", "/archives/1").statusCode());
    }

    @Test
    void metricsCountRequestsByRoute() throws Exception {
        asked("GET", "/archives/3");
        String page = asked("GET", "/metrics").body();
        assertTrue(page.contains("http_route=\"/archives/{id}\""), page);
        assertEquals("UP\n", asked("GET", "/health").body());
    }

    private static HttpResponse<String> asked(String method, String path) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + service.port() + path))
                .method(method, BodyPublishers.noBody())
                .build();
        return CLIENT.send(request, BodyHandlers.ofString());
    }
}
