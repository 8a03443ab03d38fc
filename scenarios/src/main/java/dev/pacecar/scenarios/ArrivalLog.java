package dev.pacecar.scenarios;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/** What was sent in the measured slices, when it was due and when it left: kept in memory, written at the end. */
final class ArrivalLog {
    /** More rows than any plan of the open model has; a closed model against a failing service could exceed it. */
    private static final int MOST_ROWS = 2_000_000;

    private final LoadClock clock;
    private final List<Row> rows = new ArrayList<>();
    private boolean full;

    private record Row(int slice, String side, String operation, long due, long sent) {}

    ArrivalLog(LoadClock clock) {
        this.clock = clock;
    }

    /** Notes that a request due at {@code due} is being sent now. Called from all of Gatling's threads. */
    void sent(int slice, String side, String operation, long due) {
        long now = clock.now();
        synchronized (this) {
            if (rows.size() < MOST_ROWS) {
                rows.add(new Row(slice, side, operation, due, now));
            } else {
                full = true;
            }
        }
    }

    /** Leaves the table at {@code file}: whole or not at all. */
    synchronized void write(Path file) {
        Path partial = Path.of(file + ".partial");
        try {
            try (BufferedWriter writer = Files.newBufferedWriter(partial)) {
                writer.write("slice,side,endpoint,due_ms,sent_ms\n");
                for (Row row : rows) {
                    writer.write(row.slice() + "," + row.side() + "," + quoted(row.operation()) + ","
                            + clock.epochMillis(row.due()) + "," + clock.epochMillis(row.sent()) + "\n");
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
