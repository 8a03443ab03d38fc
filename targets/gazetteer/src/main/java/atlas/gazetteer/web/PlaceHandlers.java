package atlas.gazetteer.web;

import atlas.gazetteer.places.AlreadyThere;
import atlas.gazetteer.places.Atlas;
import atlas.gazetteer.places.Country;
import atlas.gazetteer.places.Neighbour;
import atlas.gazetteer.places.Place;
import atlas.gazetteer.places.Position;
import atlas.gazetteer.places.RegionSummary;
import com.google.gson.Gson;
import com.google.gson.JsonParseException;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.Headers;
import io.undertow.util.StatusCodes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionException;

/** Requests for places, and for one more of them. */
final class PlaceHandlers {

    private static final int LONGEST_NAME = 60;
    private static final int LARGEST_BODY = 10_000;
    private static final int MATCHES = 20;
    private static final int MOST_NEIGHBOURS = 100;

    private final Atlas atlas;
    private final Gson gson = new Gson();

    PlaceHandlers(Atlas atlas) {
        this.atlas = atlas;
    }

    void search(HttpServerExchange exchange) {
        json(exchange, atlas.search(new Query(exchange).text("name", LONGEST_NAME), MATCHES));
    }

    /** As CSV: one line for each, the nearest first. */
    void near(HttpServerExchange exchange) {
        var query = new Query(exchange);
        var position = new Position(
                query.real("lat", Country.SOUTH, Country.NORTH), query.real("lon", Country.WEST, Country.EAST));
        var lines = new StringBuilder("id,name,kind,latitude,longitude,kilometres\n");
        for (Neighbour near : atlas.nearest(position, query.number("count", 1, MOST_NEIGHBOURS))) {
            Place place = near.place();
            lines.append(String.format(
                    Locale.ROOT,
                    "%d,\"%s\",%s,%.5f,%.5f,%.3f%n",
                    place.id(),
                    place.name().replace("\"", "\"\""),
                    place.kind().name().toLowerCase(Locale.ROOT),
                    place.position().latitude(),
                    place.position().longitude(),
                    near.kilometres()));
        }
        exchange.getResponseHeaders().put(Headers.CONTENT_TYPE, "text/csv; charset=utf-8");
        exchange.getResponseSender().send(lines.toString());
    }

    void region(HttpServerExchange exchange) {
        String region = new Query(exchange).text("region", LONGEST_NAME);
        List<Place> places = atlas.of(region);
        if (places.isEmpty()) {
            throw new NotFound("there is no such region");
        }
        json(exchange, RegionSummary.of(region, places));
    }

    void add(HttpServerExchange exchange) throws IOException {
        NewPlace wanted = read(exchange).checked();
        try {
            var position = new Position(wanted.latitude(), wanted.longitude());
            exchange.setStatusCode(StatusCodes.CREATED);
            json(
                    exchange,
                    atlas.add(wanted.name(), wanted.kind(), position, wanted.population())
                            .join());
        } catch (CompletionException failed) {
            if (failed.getCause() instanceof AlreadyThere there) {
                throw new Conflict(there.getMessage());
            }
            throw failed;
        }
    }

    private NewPlace read(HttpServerExchange exchange) throws IOException {
        byte[] body = exchange.getInputStream().readNBytes(LARGEST_BODY + 1);
        if (body.length > LARGEST_BODY) {
            throw new BadRequest("a place takes at most " + LARGEST_BODY + " bytes");
        }
        try {
            NewPlace place = gson.fromJson(new String(body, StandardCharsets.UTF_8), NewPlace.class);
            if (place != null) {
                return place;
            }
        } catch (JsonParseException notOne) {
            // Told below.
        }
        throw new BadRequest("a place is a JSON object with name, kind, latitude, longitude, population");
    }

    private void json(HttpServerExchange exchange, Object answer) {
        exchange.getResponseHeaders().put(Headers.CONTENT_TYPE, "application/json");
        exchange.getResponseSender().send(gson.toJson(answer));
    }

    private record NewPlace(String name, Place.Kind kind, double latitude, double longitude, int population) {

        NewPlace checked() {
            if (name == null || name.isBlank() || name.length() > LONGEST_NAME) {
                throw new BadRequest("name must be given, with at most " + LONGEST_NAME + " characters");
            }
            if (kind == null) {
                throw new BadRequest("kind must be one of " + List.of(Place.Kind.values()));
            }
            if (population < 0 || !Country.holds(new Position(latitude, longitude))) {
                throw new BadRequest("a place lies in the country, and nobody or somebody lives there");
            }
            return this;
        }
    }
}
