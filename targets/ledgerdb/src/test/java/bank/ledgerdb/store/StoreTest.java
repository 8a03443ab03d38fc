package bank.ledgerdb.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** What was entered is there, whichever of log, memory and segments it has come to. */
class StoreTest {

    @Test
    void entriesOutliveSegmentsAndTheirMerging() throws Exception {
        try (Store store = Store.open()) {
            var entered = new ArrayList<Entry>();
            for (int number = 0; number < 12_000; number++) {
                entered.add(store.append(1 + number % 10, number, "n" + number));
            }
            for (int account = 1; account <= 10; account += 3) {
                int mine = account;
                List<Entry> expected = entered.stream()
                        .filter(entry -> entry.account() == mine)
                        .sorted(Entry.NEWEST_FIRST)
                        .toList();
                assertEquals(expected, store.newest(account, expected.size()));
                assertEquals(Store.KEPT, store.newest(account, Store.KEPT).size());
            }
            assertEquals(
                    Store.KEPT, store.newest(Store.ACCOUNTS, 2 * Store.KEPT).size());
        }
    }

    @Test
    void readersSeeWholeAccountsWhileOthersWrite() throws Exception {
        try (Store store = Store.open()) {
            var threads = Executors.newFixedThreadPool(4);
            var tasks = new ArrayList<Callable<Boolean>>();
            for (int thread = 0; thread < 4; thread++) {
                int mine = thread;
                tasks.add(() -> asked(store, mine));
            }
            for (var done : threads.invokeAll(tasks)) {
                assertTrue(done.get());
            }
            threads.shutdown();
        }
    }

    /** Reads check the seals, so an entry that is missing would be an exception. */
    private static boolean asked(Store store, int mine) throws IOException {
        for (int number = 0; number < 500; number++) {
            int account = 1 + (mine + 7 * number) % 10;
            store.append(account, number, "mine");
            assertEquals(Store.KEPT, store.newest(account, Store.KEPT).size());
        }
        return true;
    }

    @Test
    void anAccountThatIsNotThereHasNoEntries() throws IOException {
        try (Store store = Store.open()) {
            assertEquals(List.of(), store.newest(0, 10));
            assertEquals(List.of(), store.newest(Store.ACCOUNTS + 1, 10));
            assertNull(store.append(Store.ACCOUNTS + 1, 1, "lost"));
        }
    }
}
