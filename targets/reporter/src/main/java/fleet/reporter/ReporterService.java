package fleet.reporter;

import fleet.reporter.web.Server;

/** Plans the tours of vans, and keeps a report on them. */
public final class ReporterService {

    private ReporterService() {}

    public static void main(String[] args) {
        if (args.length != 1 || !args[0].matches("\\d{1,5}")) {
            System.err.println("usage: reporter PORT");
            System.exit(2);
        }
        var server = Server.start(Integer.parseInt(args[0]));
        System.out.println("listening on 127.0.0.1:" + server.port());
    }
}
