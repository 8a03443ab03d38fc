package market.basket.web;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.util.concurrent.Callable;

/** The threads that may wait for the database: `basket-db-N`. An event loop must not. */
final class Workers {

    private static final int THREADS = 10;

    private final WorkerExecutor threads;

    Workers(Vertx vertx) {
        threads = vertx.createSharedWorkerExecutor("basket-db", THREADS);
    }

    /** What `work` gives, on the event loop that asks for it. Requests do not wait for those before them. */
    <T> Future<T> run(Callable<T> work) {
        return threads.executeBlocking(work, false);
    }
}
