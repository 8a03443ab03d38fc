package market.basket.web;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpServer;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Route;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;
import java.net.URI;
import java.sql.SQLException;
import java.util.function.Function;
import market.basket.delivery.Deliveries;
import market.basket.goods.Assortment;
import market.basket.store.BasketStore;
import market.basket.store.Database;

/** The HTTP server: one event loop, and workers for what waits. */
public final class Server {

    private static final String HOST = "127.0.0.1";
    private static final int LARGEST_BODY = 10_000;

    private final Vertx vertx;
    private final HttpServer http;
    private final Database database;
    private final Deliveries deliveries;

    private Server(Vertx vertx, HttpServer http, Database database, Deliveries deliveries) {
        this.vertx = vertx;
        this.http = http;
        this.database = database;
        this.deliveries = deliveries;
    }

    /**
     * Listens on `port` of the loopback interface; 0 is any that is free.
     *
     * @throws SQLException when the database at `url` refuses
     */
    public static Server start(int port, String url, URI carrier) throws SQLException {
        var database = Database.filled(url);
        var deliveries = new Deliveries(carrier);
        var vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
        var handlers = new Handlers(
                new Assortment(database.products()),
                new BasketStore(database.connections()),
                deliveries,
                new Workers(vertx));
        Router router = routes(vertx, handlers, new Metrics());
        HttpServer http = done(vertx.createHttpServer().requestHandler(router).listen(port, HOST));
        return new Server(vertx, http, database, deliveries);
    }

    public int port() {
        return http.actualPort();
    }

    public void stop() {
        done(vertx.close());
        deliveries.close();
        database.close();
    }

    private static Router routes(Vertx vertx, Handlers handlers, Metrics metrics) {
        Router router = Router.router(vertx);
        var answered = new Answered(metrics);
        answered.on(router.get("/baskets/:id"), "/baskets/{id}", handlers::basket);
        answered.on(router.get("/baskets/:id/delivery"), "/baskets/{id}/delivery", handlers::delivery);
        answered.on(router.get("/products/:id"), "/products/{id}", handlers::product);
        Route baskets =
                router.post("/baskets").handler(BodyHandler.create(false).setBodyLimit(LARGEST_BODY));
        answered.on(baskets, "/baskets", handlers::add);
        router.get("/metrics").handler(metrics::page);
        router.get("/health").handler(context -> context.end("UP\n"));
        return router;
    }

    private static <T> T done(Future<T> future) {
        return future.toCompletionStage().toCompletableFuture().join();
    }

    /** What all requests of customers have in common: a clock, JSON, and an answer when something is wrong. */
    private record Answered(Metrics metrics) {

        void on(Route route, String name, Function<RoutingContext, Future<JsonObject>> handler) {
            route.handler(metrics.timed(name, context -> handler.apply(context)
                            .onSuccess(context::json)
                            .onFailure(context::fail)))
                    .failureHandler(Answered::refuse);
        }

        private static void refuse(RoutingContext context) {
            int status = status(context);
            if (status == 500) {
                context.next(); // Vert.x answers, and logs what failed.
                return;
            }
            String why =
                    context.failure() == null ? "refused" : context.failure().getMessage();
            context.response()
                    .setStatusCode(status)
                    .putHeader("Content-Type", "text/plain; charset=utf-8")
                    .end(why + "\n");
        }

        private static int status(RoutingContext context) {
            Throwable failure = context.failure();
            if (failure instanceof BadRequest) {
                return 400;
            }
            if (failure instanceof NotFound) {
                return 404;
            }
            return failure instanceof NoOffer ? 502 : context.statusCode();
        }
    }
}
