package library.catalogue.beside;

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
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Another service: a register of 20,000 writers, `writer-1` to `writer-20000`. */
public final class Register implements AutoCloseable {

    public static final int WRITERS = 20_000;

    private static final Pattern QUESTION = Pattern.compile("name=writer-(\\d{1,9})");
    private static final int THREADS = 4;

    private final HttpServer server;
    private final ExecutorService threads;

    private Register(HttpServer server, ExecutorService threads) {
        this.server = server;
        this.threads = threads;
    }

    public static void main(String[] args) throws IOException {
        var register = start(Integer.parseInt(args[0]));
        System.out.println("listening on 127.0.0.1:" + register.port());
    }

    /** Listens on `port` of the loopback interface; 0 is any that is free. */
    public static Register start(int port) throws IOException {
        // Else the body of an answer waits up to 40 ms for the receipt of its head.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        var threads = Executors.newFixedThreadPool(THREADS);
        server.setExecutor(threads);
        server.createContext("/writers", Register::writer);
        server.createContext("/health", exchange -> answer(exchange, 200, "UP\n"));
        server.start();
        return new Register(server, threads);
    }

    public int port() {
        return server.getAddress().getPort();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdown();
    }

    private static void writer(HttpExchange exchange) throws IOException {
        String query = exchange.getRequestURI().getQuery();
        Matcher asked = QUESTION.matcher(query == null ? "" : query);
        int number = asked.matches() ? Integer.parseInt(asked.group(1)) : 0;
        if (number < 1 || number > WRITERS) {
            answer(exchange, 404, "there is no such writer\n");
            return;
        }
        String titles = IntStream.rangeClosed(1, 3 + number % 5)
                .mapToObj(title -> "\"Book %d of writer %d\"".formatted(title, number))
                .collect(Collectors.joining(","));
        String text = "{\"name\":\"writer-%d\",\"born\":%d,\"titles\":[%s]}";
        answer(exchange, 200, text.formatted(number, 1800 + number % 200, titles));
    }

    private static void answer(HttpExchange exchange, int status, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        try (exchange) {
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }
}
