package shop;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;

/** A service of one class, built in a second: lists orders as JSON. */
public final class Orders {

    private Orders() {
    }

    public static void main(String[] arguments) throws IOException {
        int port = Integer.parseInt(arguments[0]);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 64);
        server.createContext("/orders", exchange -> answer(exchange, list(40)));
        server.createContext("/ready", exchange -> answer(exchange, "yes"));
        server.setExecutor(Executors.newFixedThreadPool(4));
        server.start();
    }

    static String list(int count) {
        StringBuilder text = new StringBuilder("[");
        for (int id = 1; id <= count; id++) {
            text.append(id == 1 ? "" : ",").append(order(id));
        }
        return text.append("]").toString();
    }

    static String order(int id) {
        return "{\"id\":" + id + ",\"customer\":\"customer " + id % 7 + "\"}";
    }

    private static void answer(HttpExchange exchange, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }
}
