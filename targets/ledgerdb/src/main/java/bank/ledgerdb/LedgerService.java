package bank.ledgerdb;

import bank.ledgerdb.web.Service;

/** Keeps the books of a bank: what goes in and out of each account. */
public final class LedgerService {

    private LedgerService() {}

    public static void main(String[] args) throws Exception {
        if (args.length != 1 || !args[0].matches("\\d{1,5}")) {
            System.err.println("usage: ledgerdb PORT");
            System.exit(2);
        }
        var service = Service.start(Integer.parseInt(args[0]));
        Runtime.getRuntime().addShutdownHook(new Thread(service::stop));
        System.out.println("listening on 127.0.0.1:" + service.port());
    }
}
