package fleet.reporter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import fleet.reporter.tours.Planner;
import fleet.reporter.tours.Stretch;
import fleet.reporter.tours.Tour;
import fleet.reporter.tours.Town;
import fleet.reporter.web.Server;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The whole service, asked over HTTP. */
class ReporterTest {

    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final Pattern FIGURES =
            Pattern.compile("\\{\"stretches\":(\\d+),\"stops\":(\\d+),\"metres\":(\\d+)}");
    private static Server server;

    @BeforeAll
    static void start() {
        server = Server.start(0);
    }

    @AfterAll
    static void stop() {
        server.stop();
    }

    @Test
    void aPlanIsTheSameEachTime() throws Exception {
        String plan = get("/plans/7").body();
        assertTrue(plan.startsWith("{\"id\":7,\"tours\":[{\"metres\":"), plan);
        assertEquals(plan, get("/plans/7").body());
    }

    @Test
    void aReportIsKeptOnEveryTour() throws Exception {
        long before = stopsReported();
        get("/plans/11");
        get("/plans/12");
        long planned = 2L * Town.VANS * Planner.tour(11, 1).stops().size();
        long reported = 0;
        for (int i = 0; i < 100 && reported < planned; i++) {
            Thread.sleep(20);
            reported = stopsReported() - before;
        }
        assertEquals(planned, reported);
    }

    @Test
    void noTwoLegsCross() {
        Tour tour = Planner.tour(3, 1);
        assertEquals(tour.stops().size(), tour.stops().stream().distinct().count());
        double mean = tour.metres() / tour.stops().size();
        assertTrue(mean < 900, "a leg takes " + mean + " metres");
    }

    @Test
    void stretchesMakeUpTheTour() {
        Tour tour = Planner.tour(5, 2);
        assertEquals(
                tour.stops().size(),
                tour.stretches().stream().mapToInt(Stretch::stops).sum());
        assertEquals(
                tour.metres(),
                tour.stretches().stream().mapToDouble(Stretch::metres).sum(),
                1e-6);
        for (int i = 1; i < tour.stretches().size(); i++) {
            assertTrue(tour.stretches().get(i).district()
                    != tour.stretches().get(i - 1).district());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/plans/0", "/plans/2001", "/plans/first", "/districts/65", "/districts/-1", "/"})
    void whatIsNotThereIsNotFound(String path) throws Exception {
        assertEquals(404, get(path).statusCode());
    }

    @Test
    void nothingIsChangedFromOutside() throws Exception {
        HttpRequest post =
                request("/plans/1").POST(BodyPublishers.ofString("{}")).build();
        assertEquals(405, CLIENT.send(post, BodyHandlers.ofString()).statusCode());
    }

    @Test
    void requestsAreCountedByRoute() throws Exception {
        get("/plans/1");
        assertEquals("UP\n", get("/health").body());
        String page = get("/metrics").body();
        assertTrue(page.contains("http_server_request_duration_seconds_count{http_request_method=\"GET\","
                + "http_response_status_code=\"200\",http_route=\"/plans/{id}\"}"));
        assertTrue(page.contains("jvm_memory_used_bytes"));
    }

    private static long stopsReported() throws IOException, InterruptedException {
        long stops = 0;
        for (int district = 1; district <= Town.DISTRICTS; district++) {
            Matcher figures = FIGURES.matcher(get("/districts/" + district).body());
            assertTrue(figures.matches());
            stops += Long.parseLong(figures.group(2));
        }
        return stops;
    }

    private static HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return CLIENT.send(request(path).build(), BodyHandlers.ofString());
    }

    private static HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path));
    }
}
