package depot.packer;

import depot.packer.web.Service;

/** Packs archives, and tells what is in those that it has packed. */
public final class PackerService {

    private PackerService() {}

    public static void main(String[] args) throws Exception {
        if (args.length != 1 || !args[0].matches("\\d{1,5}")) {
            System.err.println("usage: packer PORT");
            System.exit(2);
        }
        var service = Service.start(Integer.parseInt(args[0]));
        Runtime.getRuntime().addShutdownHook(new Thread(service::stop));
        System.out.println("listening on 127.0.0.1:" + service.port());
    }
}
