package market.basket.beside;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Another company's service: says how long a parcel takes, and what for. */
public final class Carrier implements AutoCloseable {

    private static final Pattern QUESTION = Pattern.compile("town=(\\d{1,4})&grams=(\\d{1,7})");
    private static final int THREADS = 4;

    private final HttpServer server;
    private final ExecutorService threads;

    private Carrier(HttpServer server, ExecutorService threads) {
        this.server = server;
        this.threads = threads;
    }

    public static void main(String[] args) throws IOException {
        var carrier = start(Integer.parseInt(args[0]));
        System.out.println("listening on 127.0.0.1:" + carrier.port());
    }

    /** Listens on `port` of the loopback interface; 0 is any that is free. */
    public static Carrier start(int port) throws IOException {
        // Else the body of an answer waits up to 40 ms for the receipt of its head.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        var threads = Executors.newFixedThreadPool(THREADS);
        server.setExecutor(threads);
        server.createContext("/offers", Carrier::offer);
        server.createContext("/health", exchange -> answer(exchange, 200, "UP\n"));
        server.start();
        return new Carrier(server, threads);
    }

    public int port() {
        return server.getAddress().getPort();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdown();
    }

    private static void offer(HttpExchange exchange) throws IOException {
        String query = exchange.getRequestURI().getQuery();
        Matcher asked = QUESTION.matcher(query == null ? "" : query);
        if (!asked.matches()) {
            answer(exchange, 400, "town and grams must be given\n");
            return;
        }
        int town = Integer.parseInt(asked.group(1));
        int grams = Integer.parseInt(asked.group(2));
        answer(exchange, 200, "{\"days\":%d,\"cents\":%d}".formatted(1 + town % 4, 390 + grams / 1_000 * 45));
    }

    private static void answer(HttpExchange exchange, int status, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        try (exchange) {
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }
}
