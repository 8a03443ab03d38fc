package fleet.reporter.web;

import fleet.reporter.actors.District;
import fleet.reporter.actors.Fleet;
import fleet.reporter.tours.Plan;
import fleet.reporter.tours.Stop;
import fleet.reporter.tours.Tour;
import fleet.reporter.tours.Town;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.pekko.http.javadsl.model.ContentTypes;
import org.apache.pekko.http.javadsl.model.HttpEntities;
import org.apache.pekko.http.javadsl.model.HttpMethods;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.HttpResponse;

/** Which request is answered how. No thread waits for an actor. */
final class Requests {

    private static final Pattern NUMBERED = Pattern.compile("/(plans|districts)/(\\d{1,6})");

    private final Fleet fleet;
    private final Metrics metrics;

    Requests(Fleet fleet, Metrics metrics) {
        this.fleet = fleet;
        this.metrics = metrics;
    }

    CompletionStage<HttpResponse> answer(HttpRequest request) {
        String path = request.getUri().path();
        Matcher numbered = NUMBERED.matcher(path);
        if (!request.method().equals(HttpMethods.GET)) {
            return now(text(405, "there is only GET\n"));
        }
        if (numbered.matches()) {
            return numbered(numbered.group(1), Integer.parseInt(numbered.group(2)));
        }
        return now(
                switch (path) {
                    case "/health" -> text(200, "UP\n");
                    case "/metrics" -> metrics.page();
                    default -> text(404, "there is no such page\n");
                });
    }

    private CompletionStage<HttpResponse> numbered(String what, int number) {
        return what.equals("plans")
                ? found("/plans/{id}", number, Town.PLANS, fleet::plan, Requests::json)
                : found("/districts/{id}", number, Town.DISTRICTS, id -> fleet.figures(id - 1), Requests::json);
    }

    private <T> CompletionStage<HttpResponse> found(
            String route, int number, int last, IntFunction<CompletionStage<T>> asked, Function<T, String> json) {
        if (number < 1 || number > last) {
            return now(text(404, "the last is " + last + "\n"));
        }
        return metrics.timed(route, asked.apply(number).thenApply(json).thenApply(body -> HttpResponse.create()
                .withEntity(HttpEntities.create(ContentTypes.APPLICATION_JSON, body))));
    }

    private static String json(Plan plan) {
        return plan.tours().stream()
                .map(Requests::json)
                .collect(Collectors.joining(",", "{\"id\":" + plan.id() + ",\"tours\":[", "]}"));
    }

    private static String json(Tour tour) {
        var json = new StringBuilder("{\"metres\":").append(Math.round(tour.metres()));
        String before = ",\"stops\":[";
        for (Stop stop : tour.stops()) {
            json.append(before)
                    .append('[')
                    .append(stop.x())
                    .append(',')
                    .append(stop.y())
                    .append(']');
            before = ",";
        }
        return json.append("]}").toString();
    }

    private static String json(District.Figures figures) {
        return "{\"stretches\":" + figures.stretches() + ",\"stops\":" + figures.stops() + ",\"metres\":"
                + Math.round(figures.metres()) + "}";
    }

    private static HttpResponse text(int status, String text) {
        return HttpResponse.create()
                .withStatus(status)
                .withEntity(HttpEntities.create(ContentTypes.TEXT_PLAIN_UTF8, text));
    }

    private static CompletionStage<HttpResponse> now(HttpResponse response) {
        return CompletableFuture.completedFuture(response);
    }
}
