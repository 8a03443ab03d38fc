import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;

public class Service {
    public static void main(String[] arguments) throws Exception {
        // Else the body waits 40 ms until the head is acknowledged.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        var address = new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[0]));
        var server = HttpServer.create(address, 0);
        server.setExecutor(Executors.newFixedThreadPool(4));
        server.createContext("/report", exchange -> {
            var body = Report.write();
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }
}
