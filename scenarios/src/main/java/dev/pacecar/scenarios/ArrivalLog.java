package dev.pacecar.scenarios;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What was sent in the measured slices, when it was due, when it left and when it was answered: kept in memory, written
 * at the end. Gatling's own log knows whole milliseconds only, which is most of what a fast endpoint takes.
 */
final class ArrivalLog {
    /** More rows than any plan of the open model has; a closed model against a failing service could exceed it. */
    private static final int MOST_ROWS = 2_000_000;

    private final LoadClock clock;
    private final List<Row> rows = new ArrayList<>();
    private final Plan.Share share;
    private final AtomicLong sent = new AtomicLong();
    private boolean full;

    /** One request. */
    static final class Row {
        private static final long NEVER = Long.MIN_VALUE;

        private final long number;
        private final int slice;
        private final String side;
        private final String operation;
        private final long due;
        private final long sent;
        private volatile long answered = NEVER;

        private Row(long number, int slice, String side, String operation, long due, long sent) {
            this.number = number;
            this.slice = slice;
            this.side = side;
            this.operation = operation;
            this.due = due;
            this.sent = sent;
        }

        /** What tells it from all others that are sent, by whichever process; from 1. */
        long number() {
            return number;
        }
    }

    ArrivalLog(LoadClock clock, Plan.Share share) {
        this.clock = clock;
        this.share = share;
    }

    /** Notes that a request due at {@code due} is being sent now. Called from all of Gatling's threads. */
    Row sent(int slice, String side, String operation, long due) {
        long number = 1 + share.index() + share.of() * sent.getAndIncrement();
        Row row = new Row(number, slice, side, operation, due, clock.now());
        synchronized (this) {
            if (rows.size() < MOST_ROWS) {
                rows.add(row);
            } else {
                full = true;
            }
        }
        return row;
    }

    /** Notes that the answer to {@code row}'s request is there. */
    void answered(Row row) {
        row.answered = clock.now();
    }

    /** Leaves the table at {@code file}: whole or not at all. */
    synchronized void write(Path file) {
        Path partial = Path.of(file + ".partial");
        try {
            try (BufferedWriter writer = Files.newBufferedWriter(partial)) {
                writer.write("slice,side,endpoint,due_ms,sent_ms,answered_ms,number\n");
                for (Row row : rows) {
                    writer.write(row.slice + "," + row.side + "," + quoted(row.operation) + ","
                            + clock.epochMillis(row.due) + "," + clock.epochMillis(row.sent) + ","
                            + (row.answered == Row.NEVER ? "" : clock.epochMillis(row.answered)) + "," + row.number
                            + "\n");
                }
            }
            Files.move(partial, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException error) {
            throw new UncheckedIOException("Cannot write the arrivals to " + file, error);
        }
        if (full) {
            System.err.println("More than " + MOST_ROWS + " requests were sent; the rest is not in " + file);
        }
    }

    private static String quoted(String text) {
        return "\"" + text.replace("\"", "\"\"") + "\"";
    }
}
