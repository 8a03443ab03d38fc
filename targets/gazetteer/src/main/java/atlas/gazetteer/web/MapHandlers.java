package atlas.gazetteer.web;

import atlas.gazetteer.map.Tile;
import atlas.gazetteer.places.Atlas;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.Headers;
import java.nio.ByteBuffer;

/** Requests for squares of the map. */
final class MapHandlers {

    private final Atlas atlas;

    MapHandlers(Atlas atlas) {
        this.atlas = atlas;
    }

    void tile(HttpServerExchange exchange) {
        Tile tile = asked(new Query(exchange));
        byte[] png = tile.drawn(atlas.around(tile.southWest(), tile.northEast()));
        exchange.getResponseHeaders().put(Headers.CONTENT_TYPE, "image/png");
        exchange.getResponseSender().send(ByteBuffer.wrap(png));
    }

    private static Tile asked(Query query) {
        int most = 1 << Tile.DEEPEST;
        int zoom = query.number("zoom", 0, Tile.DEEPEST);
        try {
            return new Tile(zoom, query.number("column", 0, most), query.number("row", 0, most));
        } catch (IllegalArgumentException wrong) {
            throw new BadRequest(wrong.getMessage());
        }
    }
}
