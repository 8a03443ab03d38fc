package fleet.reporter.web;

import fleet.reporter.actors.Fleet;
import org.apache.pekko.http.javadsl.Http;
import org.apache.pekko.http.javadsl.ServerBinding;

/** The HTTP server. Its streams run where `application.conf` says. */
public final class Server {

    private static final String HOST = "127.0.0.1";

    private final Fleet fleet;
    private final ServerBinding http;

    private Server(Fleet fleet, ServerBinding http) {
        this.fleet = fleet;
        this.http = http;
    }

    /** Listens on `port` of the loopback interface; 0 is any that is free. */
    public static Server start(int port) {
        var fleet = Fleet.start();
        var requests = new Requests(fleet, new Metrics());
        ServerBinding http = Http.get(fleet.system())
                .newServerAt(HOST, port)
                .bind(requests::answer)
                .toCompletableFuture()
                .join();
        return new Server(fleet, http);
    }

    public int port() {
        return http.localAddress().getPort();
    }

    public void stop() {
        fleet.system().terminate();
        fleet.system().getWhenTerminated().toCompletableFuture().join();
    }
}
