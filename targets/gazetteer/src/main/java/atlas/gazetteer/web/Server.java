package atlas.gazetteer.web;

import atlas.gazetteer.places.Atlas;
import io.undertow.Handlers;
import io.undertow.Undertow;
import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.handlers.BlockingHandler;
import io.undertow.server.handlers.ExceptionHandler;
import io.undertow.util.Headers;
import io.undertow.util.StatusCodes;
import java.net.InetSocketAddress;

/** The HTTP server: health and metrics are answered on the I/O threads, everything else by workers. */
public final class Server {

    private static final String HOST = "127.0.0.1";
    private static final int IO_THREADS = 2;
    private static final int WORKERS = 6;

    private final Undertow undertow;
    private final Atlas atlas;

    private Server(Undertow undertow, Atlas atlas) {
        this.undertow = undertow;
        this.atlas = atlas;
    }

    /** Listens on `port` of the loopback interface; 0 is any that is free. */
    public static Server start(int port, Atlas atlas) {
        var undertow = Undertow.builder()
                .addHttpListener(port, HOST)
                .setIoThreads(IO_THREADS)
                .setWorkerThreads(WORKERS)
                .setHandler(routes(atlas, new Metrics()))
                .build();
        undertow.start();
        return new Server(undertow, atlas);
    }

    public int port() {
        return ((InetSocketAddress) undertow.getListenerInfo().get(0).getAddress()).getPort();
    }

    public void stop() {
        undertow.stop();
        atlas.close();
    }

    private static HttpHandler routes(Atlas atlas, Metrics metrics) {
        var places = new PlaceHandlers(atlas);
        var maps = new MapHandlers(atlas);
        var worked = new Worked(metrics);
        return Handlers.routing()
                .get("/search", worked.on("/search", places::search))
                .get("/near", worked.on("/near", places::near))
                .get("/tiles/{zoom}/{column}/{row}", worked.on("/tiles/{zoom}/{column}/{row}", maps::tile))
                .get("/regions/{region}", worked.on("/regions/{region}", places::region))
                .post("/places", worked.on("/places", places::add))
                .get("/metrics", metrics::page)
                .get("/health", exchange -> exchange.getResponseSender().send("UP\n"));
    }

    /** What all requests that take work have in common: a worker, a clock, and an answer when something is wrong. */
    private record Worked(Metrics metrics) {

        HttpHandler on(String route, HttpHandler handler) {
            var answering = Handlers.exceptionHandler(handler)
                    .addExceptionHandler(BadRequest.class, exchange -> refuse(exchange, StatusCodes.BAD_REQUEST))
                    .addExceptionHandler(Conflict.class, exchange -> refuse(exchange, StatusCodes.CONFLICT))
                    .addExceptionHandler(NotFound.class, exchange -> refuse(exchange, StatusCodes.NOT_FOUND));
            return metrics.timed(route, new BlockingHandler(answering));
        }

        private static void refuse(HttpServerExchange exchange, int status) {
            exchange.setStatusCode(status);
            exchange.getResponseHeaders().put(Headers.CONTENT_TYPE, "text/plain; charset=utf-8");
            exchange.getResponseSender()
                    .send(exchange.getAttachment(ExceptionHandler.THROWABLE).getMessage() + "\n");
        }
    }
}
