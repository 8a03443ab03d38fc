package atlas.gazetteer;

import atlas.gazetteer.places.Atlas;
import atlas.gazetteer.places.Country;
import atlas.gazetteer.web.Server;

/** Answers where places are: by name, by position, as a map, and region by region. */
public final class Gazetteer {

    private Gazetteer() {}

    public static void main(String[] args) {
        if (args.length != 1 || !args[0].matches("\\d{1,5}")) {
            System.err.println("usage: gazetteer PORT");
            System.exit(2);
        }
        var server = Server.start(Integer.parseInt(args[0]), new Atlas(Country.places()));
        Runtime.getRuntime().addShutdownHook(new Thread(server::stop));
        System.out.println("listening on 127.0.0.1:" + server.port());
    }
}
