package dev.pacecar.scenarios;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/** How many requests each side was sent before measuring began: what a fork's warmth is a matter of. */
final class WarmupCount {
    private static final long PER_REQUEST = 100_000;
    private static final long MOST = 50_000_000;

    private final Map<String, LongAdder> sent = new ConcurrentSkipListMap<>();

    WarmupCount(Iterable<String> sides) {
        sides.forEach(side -> sent.put(side, new LongAdder()));
    }

    /** Counts a request. Called from all of Gatling's threads. */
    void sent(String side) {
        sent.get(side).increment();
    }

    /**
     * How long a user of {@code side} should wait before its next request, in nanoseconds: longer, the further the side
     * is ahead of the other one.
     *
     * <p>The JVM that is ahead answers sooner, so it is asked more, is compiled sooner still, and takes the cores from
     * the other one, for which both then have to wait.
     */
    long heldBack(String side) {
        long own = sent.get(side).sum();
        long fewest = sent.values().stream().mapToLong(LongAdder::sum).min().orElse(own);
        return Math.max(0, Math.min(MOST, (own - fewest) * PER_REQUEST));
    }

    /** Appends a line per side to {@code file}: time in epoch milliseconds, side, requests so far. */
    void append(Path file, String epochMillis) {
        StringBuilder lines = new StringBuilder();
        sent.forEach((side, count) -> lines.append(epochMillis)
                .append(',')
                .append(side)
                .append(',')
                .append(count.sum())
                .append('\n'));
        try {
            Files.writeString(file, lines, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException error) {
            throw new UncheckedIOException("Cannot note the warm-up's progress in " + file, error);
        }
    }
}
