package market.basket;

import java.net.URI;
import java.sql.SQLException;
import market.basket.web.Server;

/** Keeps the baskets of a shop, and asks a carrier when they will arrive. */
public final class BasketService {

    private BasketService() {}

    public static void main(String[] args) throws SQLException {
        if (args.length != 3 || !args[0].matches("\\d{1,5}")) {
            System.err.println("usage: basket PORT JDBC-URL CARRIER-URL");
            System.exit(2);
        }
        var server = Server.start(Integer.parseInt(args[0]), args[1], URI.create(args[2]));
        Runtime.getRuntime().addShutdownHook(new Thread(server::stop));
        System.out.println("listening on 127.0.0.1:" + server.port());
    }
}
