package market.basket.delivery;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import market.basket.store.Parcel;

/** Asks the carrier, without a thread that waits for its answer. */
public final class Deliveries implements AutoCloseable {

    private static final int THREADS = 2;
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final URI carrier;
    private final ExecutorService threads;
    private final HttpClient client;

    public Deliveries(URI carrier) {
        this.carrier = carrier;
        var number = new AtomicInteger();
        threads =
                Executors.newFixedThreadPool(THREADS, task -> new Thread(task, "delivery-" + number.getAndIncrement()));
        client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .executor(threads)
                .build();
    }

    /** The carrier's offer, as JSON; fails where it makes none. */
    public CompletableFuture<String> offer(Parcel parcel) {
        URI question = carrier.resolve("/offers?town=%d&grams=%d".formatted(parcel.town(), parcel.grams()));
        HttpRequest request = HttpRequest.newBuilder(question).timeout(PATIENCE).build();
        return client.sendAsync(request, BodyHandlers.ofString()).thenApply(Deliveries::body);
    }

    @Override
    public void close() {
        threads.shutdown();
    }

    private static String body(HttpResponse<String> answer) {
        if (answer.statusCode() != 200) {
            throw new CompletionException(new IOException("the carrier answers " + answer.statusCode()));
        }
        return answer.body();
    }
}
