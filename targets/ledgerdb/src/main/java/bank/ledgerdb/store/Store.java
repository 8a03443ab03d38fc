package bank.ledgerdb.store;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * A log-structured store of entries. New ones go to a log and into memory; when there are many, they become a segment,
 * and many segments are merged into one. Of each account the newest entries are kept, so that it stays as large as it
 * is.
 */
public final class Store implements AutoCloseable {

    public static final int ACCOUNTS = 20;
    /** Entries of an account that are kept. */
    public static final int KEPT = 2_400;

    /** Entries in memory before they become a segment. */
    private static final int IN_MEMORY = 500;
    /** Segments before they are merged. */
    private static final int SEGMENTS = 4;

    private final Path folder;
    private final Log log;
    private final ExecutorService compaction = Executors.newSingleThreadExecutor(task -> {
        var thread = new Thread(task, "ledger-compact");
        thread.setDaemon(true);
        return thread;
    });
    /** What readers see: a new one whenever anything but memory changes. */
    private volatile View view;

    private int written;
    private boolean merging;

    private record View(ConcurrentSkipListSet<Entry> memory, List<Segment> segments) {}

    /** A store in a folder of its own, with a history of every account; the same at every start. */
    public static Store open() throws IOException {
        return new Store(Files.createTempDirectory("ledgerdb-"));
    }

    private Store(Path folder) throws IOException {
        this.folder = folder;
        log = new Log(folder.resolve("log"));
        var history = new ArrayList<Entry>(ACCOUNTS * KEPT);
        for (int account = 1; account <= ACCOUNTS; account++) {
            var entry = Entry.first(account, 100_000, "opened");
            history.add(entry);
            for (int number = 2; number <= KEPT; number++) {
                entry = entry.next(37L * account * number % 9_973 - 4_986, "transfer " + number % 17);
                history.add(entry);
            }
        }
        history.sort(Entry.NEWEST_FIRST);
        view = new View(new ConcurrentSkipListSet<>(Entry.NEWEST_FIRST), List.of(segment(history)));
    }

    /** The newest entries of an account, at most `limit` of them, as they were written. */
    public List<Entry> newest(int account, int limit) throws IOException {
        while (true) {
            View seen = view;
            try {
                return checked(merged(seen, account, limit));
            } catch (ClosedChannelException merged) {
                if (seen == view) {
                    throw merged;
                }
            }
        }
    }

    /** Enters an amount; null where there is no such account. */
    public synchronized Entry append(int account, long cents, String text) throws IOException {
        List<Entry> last = newest(account, 1);
        if (last.isEmpty()) {
            return null;
        }
        Entry entry = last.get(0).next(cents, text);
        log.append(entry);
        view.memory().add(entry);
        if (view.memory().size() >= IN_MEMORY) {
            flush();
        }
        return entry;
    }

    @Override
    public void close() throws IOException {
        // Who merges needs this monitor, too.
        compaction.shutdown();
        try {
            compaction.awaitTermination(10, TimeUnit.SECONDS);
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
        delete();
    }

    private synchronized void delete() throws IOException {
        for (Segment segment : view.segments()) {
            segment.delete();
        }
        log.delete();
        Files.delete(folder);
    }

    private static List<Entry> merged(View seen, int account, int limit) throws IOException {
        var found = new ArrayList<Entry>(limit);
        var newest = new Entry(account, Long.MAX_VALUE, 0, 0, "", 0);
        for (Entry entry : seen.memory().tailSet(newest)) {
            if (entry.account() != account || found.size() == limit) {
                break;
            }
            found.add(entry);
        }
        for (Segment segment : seen.segments()) {
            if (found.size() == limit) {
                break;
            }
            found.addAll(segment.newest(account, limit - found.size()));
        }
        return found;
    }

    private static List<Entry> checked(List<Entry> entries) {
        for (int place = 0; place + 1 < entries.size(); place++) {
            if (!entries.get(place).follows(entries.get(place + 1))) {
                throw new IllegalStateException("the seal of an entry is broken: " + entries.get(place));
            }
        }
        return entries;
    }

    private void flush() throws IOException {
        var segments = new ArrayList<Segment>(view.segments().size() + 1);
        segments.add(segment(List.copyOf(view.memory())));
        segments.addAll(view.segments());
        view = new View(new ConcurrentSkipListSet<>(Entry.NEWEST_FIRST), List.copyOf(segments));
        log.clear();
        if (segments.size() >= SEGMENTS && !merging) {
            merging = true;
            compaction.execute(() -> merge(List.copyOf(segments)));
        }
    }

    private void merge(List<Segment> old) {
        try {
            var entries = new ArrayList<Entry>();
            for (Segment segment : old) {
                entries.addAll(segment.all());
            }
            entries.sort(Entry.NEWEST_FIRST);
            replace(old, segment(kept(entries)));
            for (Segment segment : old) {
                segment.delete();
            }
        } catch (IOException gone) {
            System.err.println("segments cannot be merged: " + gone);
        } finally {
            doneMerging();
        }
    }

    private synchronized void replace(List<Segment> old, Segment merged) {
        var segments = new ArrayList<>(view.segments());
        segments.removeAll(old);
        segments.add(merged);
        view = new View(view.memory(), List.copyOf(segments));
    }

    /** Or not: it is tried again when the next segment comes. */
    private synchronized void doneMerging() {
        merging = false;
    }

    private static List<Entry> kept(List<Entry> entries) {
        var kept = new ArrayList<Entry>(entries.size());
        int account = 0;
        int of = 0;
        for (Entry entry : entries) {
            of = entry.account() == account ? of + 1 : 1;
            account = entry.account();
            if (of <= KEPT) {
                kept.add(entry);
            }
        }
        return kept;
    }

    private synchronized Segment segment(List<Entry> entries) throws IOException {
        return Segment.write(folder.resolve("segment-" + ++written), entries);
    }
}
