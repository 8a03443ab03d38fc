package dev.pacecar.scenarios;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * When this process stood still, whatever the reason: a collection, a core that others use, a machine that is stopped.
 *
 * <p>A thread sleeps for {@link #NAP} at a time and notes how much later than that it ran again. What Gatling sends and
 * receives meanwhile is as late.
 */
final class HiccupLog {
    /** Twice a nap is the longest that goes unnoticed; shorter naps would cost the generator's core more. */
    static final long NAP = 2_000_000;
    /** Timers and schedulers are late by less on a machine that does nothing else. */
    static final long SHORTEST = 5_000_000;

    private static final int MOST_ROWS = 200_000;

    private final LoadClock clock;
    private final List<long[]> rows = new ArrayList<>();

    HiccupLog(LoadClock clock) {
        this.clock = clock;
    }

    /** Watches until this process ends. */
    void start() {
        Thread watch = new Thread(this::watch, "pacecar-hiccups");
        watch.setDaemon(true);
        watch.setPriority(Thread.MAX_PRIORITY);
        watch.start();
    }

    private void watch() {
        while (!Thread.currentThread().isInterrupted()) {
            long before = clock.epoch();
            LockSupport.parkNanos(NAP);
            woke(before + NAP, clock.epoch());
        }
    }

    /** Notes that the thread, which was due to run at {@code due}, did so at {@code now}, both in epoch nanoseconds. */
    synchronized void woke(long due, long now) {
        if (now - due >= SHORTEST && rows.size() < MOST_ROWS) {
            rows.add(new long[] {due, now - due});
        }
    }

    /** Leaves the table at {@code file}: whole or not at all. */
    synchronized void write(Path file) {
        Path partial = Path.of(file + ".partial");
        try {
            try (BufferedWriter writer = Files.newBufferedWriter(partial)) {
                writer.write("start_ms,duration_ms\n");
                for (long[] row : rows) {
                    writer.write(LoadClock.millis(row[0]) + "," + LoadClock.millis(row[1]) + "\n");
                }
            }
            Files.move(partial, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException error) {
            throw new UncheckedIOException("Cannot write the hiccups to " + file, error);
        }
    }
}
