package depot.packer.web;

import depot.packer.archive.Catalogue;
import depot.packer.packing.Packing;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** The HTTP server, and what it serves. */
public final class Service {

    private static final String HOST = "127.0.0.1";
    /** Two take requests in; the others answer them, and wait for those that pack. */
    private static final int THREADS = 32;

    private final Server http;
    private final Packing packing;

    private Service(Server http, Packing packing) {
        this.http = http;
        this.packing = packing;
    }

    /** Listens on `port` of the loopback interface; 0 is any that is free. */
    public static Service start(int port) throws Exception {
        var packing = new Packing();
        var catalogue = new Catalogue();
        for (int id = 1; id <= Catalogue.ARCHIVES; id++) {
            catalogue.keep(packing.pack(id));
        }
        var threads = new QueuedThreadPool(THREADS, THREADS);
        threads.setName("http");
        // A reserved thread waits for a turn to take requests in, of which one core has no need.
        threads.setReservedThreads(0);
        var http = new Server(threads);
        var connector = new ServerConnector(http, 1, 1);
        connector.setHost(HOST);
        connector.setPort(port);
        http.addConnector(connector);
        http.setHandler(new Requests(catalogue, packing, new Metrics()));
        http.start();
        return new Service(http, packing);
    }

    public int port() {
        return http.getURI().getPort();
    }

    public void stop() {
        try {
            http.stop();
        } catch (Exception atTheEnd) {
            System.err.println("the server does not stop: " + atTheEnd);
        }
        packing.stop();
    }
}
