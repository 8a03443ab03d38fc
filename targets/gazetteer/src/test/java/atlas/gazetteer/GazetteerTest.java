package atlas.gazetteer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import atlas.gazetteer.places.Atlas;
import atlas.gazetteer.places.Country;
import atlas.gazetteer.places.Place;
import atlas.gazetteer.web.Server;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The whole service, asked over HTTP. */
class GazetteerTest {

    private static final List<Place> PLACES = Country.places();
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static Server server;

    @BeforeAll
    static void start() {
        server = Server.start(0, new Atlas(PLACES));
    }

    @AfterAll
    static void stop() {
        server.stop();
    }

    @Test
    void aPlaceIsFoundByItsNameAndByOneThatIsMisspelt() throws Exception {
        Place wanted = PLACES.get(100);
        JsonArray exact = JsonParser.parseString(
                        get("/search?name=" + wanted.name()).body())
                .getAsJsonArray();
        assertEquals(20, exact.size());
        assertEquals(1.0, likeness(exact, 0));
        assertEquals(wanted.name(), name(exact, 0));

        String misspelt = wanted.name().substring(0, 3) + wanted.name().substring(4);
        JsonArray near =
                JsonParser.parseString(get("/search?name=" + misspelt).body()).getAsJsonArray();
        assertTrue(likeness(near, 0) >= 0.8);
        assertTrue(likeness(near, 0) >= likeness(near, 19));
    }

    @Test
    void neighboursComeNearestFirst() throws Exception {
        Place there = PLACES.get(5);
        String path = "/near?lat=%s&lon=%s&count=30"
                .formatted(there.position().latitude(), there.position().longitude());
        HttpResponse<String> answer = get(path);
        assertEquals(
                "text/csv; charset=utf-8",
                answer.headers().firstValue("Content-Type").orElseThrow());
        List<String> lines = answer.body().lines().toList();
        assertEquals(31, lines.size());
        List<Double> kilometres = lines.stream()
                .skip(1)
                .map(line -> Double.parseDouble(line.substring(line.lastIndexOf(',') + 1)))
                .toList();
        assertEquals(0.0, kilometres.get(0));
        assertEquals(kilometres.stream().sorted().toList(), kilometres);
    }

    @Test
    void aTileIsAnImage() throws Exception {
        HttpResponse<byte[]> answer = CLIENT.send(request("/tiles/0/0/0").build(), BodyHandlers.ofByteArray());
        assertEquals("image/png", answer.headers().firstValue("Content-Type").orElseThrow());
        var image = ImageIO.read(new ByteArrayInputStream(answer.body()));
        assertNotNull(image);
        assertEquals(160, image.getWidth());
        assertEquals(160, image.getHeight());
        long lit = IntStream.range(0, 160 * 160)
                .filter(i -> (image.getRGB(i % 160, i / 160) & 0xff) > 0)
                .count();
        assertTrue(lit > 1_000, "bright pixels: " + lit);
    }

    @Test
    void aRegionIsToldInFigures() throws Exception {
        JsonObject told = JsonParser.parseString(get("/regions/R07").body()).getAsJsonObject();
        List<Place> there =
                PLACES.stream().filter(place -> place.region().equals("R07")).toList();
        assertTrue(told.get("people").getAsLong()
                >= there.stream().mapToLong(Place::population).sum());
        assertEquals(10, told.getAsJsonArray("largest").size());
        assertEquals(4, told.getAsJsonArray("percentiles").size());
        assertEquals(404, get("/regions/R99").statusCode());
    }

    @Test
    void aPlaceThatWasAddedIsFoundAndNotAddedAgain() throws Exception {
        String body =
                "{\"name\": \"Quxhaven\", \"kind\": \"TOWN\", \"latitude\": 47.5, \"longitude\": 8.5, \"population\": 77}";
        HttpResponse<String> added = post(body);
        assertEquals(201, added.statusCode(), added.body());
        assertTrue(Country.REGIONS.contains(JsonParser.parseString(added.body())
                .getAsJsonObject()
                .get("region")
                .getAsString()));
        JsonArray found =
                JsonParser.parseString(get("/search?name=quxhaven").body()).getAsJsonArray();
        assertEquals("Quxhaven", name(found, 0));
        assertEquals(409, post(body).statusCode());
    }

    @Test
    void onlyTheLatestAdditionsAreKept() throws Exception {
        for (int i = 0; i < 210; i++) {
            String body =
                    "{\"name\": \"Zyx%s\", \"kind\": \"LAKE\", \"latitude\": %s, \"longitude\": 6, \"population\": 0}"
                            .formatted("abcdefghij".charAt(i % 10), 44.5 + 0.02 * i);
            assertEquals(201, post(body).statusCode());
        }
        String lines = get("/near?lat=44.5&lon=6&count=100").body();
        assertTrue(lines.lines().noneMatch(line -> line.contains("Zyxa\",lake,44.50000")));
        assertTrue(get("/near?lat=48.68&lon=6&count=100").body().contains("Zyxj\",lake,48.68000"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/search",
                "/search?name=%20",
                "/near?lat=47&lon=8&count=0",
                "/near?lat=north&lon=8&count=5",
                "/near?lat=NaN&lon=8&count=5",
                "/tiles/9/0/0",
                "/tiles/1/2/0"
            })
    void whatCannotBeAnsweredIsRefused(String path) throws Exception {
        HttpResponse<String> answer = get(path);
        assertEquals(400, answer.statusCode());
        assertEquals(1, answer.body().lines().count());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "{",
                "{\"name\": \"A\"}",
                "{\"name\": \"A\", \"kind\": \"MOON\", \"latitude\": 47, \"longitude\": 8, \"population\": 1}",
                "{\"name\": \"A\", \"kind\": \"TOWN\", \"latitude\": 0, \"longitude\": 0, \"population\": 1}"
            })
    void aPlaceThatIsNoneIsRefused(String body) throws Exception {
        assertEquals(400, post(body).statusCode());
    }

    @Test
    void requestsAreCountedByRoute() throws Exception {
        get("/regions/R01");
        get("/regions/R02");
        assertEquals("UP\n", get("/health").body());
        String page = get("/metrics").body();
        assertTrue(page.contains("http_server_request_duration_seconds_count{http_request_method=\"GET\","
                + "http_response_status_code=\"200\",http_route=\"/regions/{region}\"}"));
        assertTrue(page.contains("jvm_memory_used_bytes"));
    }

    private static String name(JsonArray matches, int index) {
        return matches.get(index)
                .getAsJsonObject()
                .getAsJsonObject("place")
                .get("name")
                .getAsString();
    }

    private static double likeness(JsonArray matches, int index) {
        return matches.get(index).getAsJsonObject().get("likeness").getAsDouble();
    }

    private static HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return CLIENT.send(request(path).build(), BodyHandlers.ofString());
    }

    private static HttpResponse<String> post(String body) throws IOException, InterruptedException {
        return CLIENT.send(
                request("/places").POST(BodyPublishers.ofString(body)).build(), BodyHandlers.ofString());
    }

    private static HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path));
    }
}
