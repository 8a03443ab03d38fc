package dev.pacecar.scenarios;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * The time since the start of load, and how it maps to the time of day.
 *
 * <p>The time of day is read at first; from then on only {@link System#nanoTime} advances it, so a correction of the
 * machine's clock cannot move a slice. What is left of the warm-up can be skipped: then the clock leaps ahead, once,
 * and everything after it keeps its place on the timeline.
 */
final class LoadClock {
    private final Plan plan;
    private final Timeline timeline;
    private final Anchor anchor = Anchor.tightest(System::nanoTime, LoadClock::epochNow);
    private volatile long startEpoch = Long.MIN_VALUE;
    private long loadEpoch;

    LoadClock(Plan plan, Timeline timeline) {
        this.plan = plan;
        this.timeline = timeline;
    }

    /** Fixes the start of load at the next whole millisecond after {@code leadNanos} from now, and announces it. */
    synchronized void start(long leadNanos) {
        if (started()) {
            return;
        }
        long soonest = epoch() + leadNanos;
        startEpoch = soonest + Math.floorMod(-soonest, 1_000_000L);
        loadEpoch = startEpoch;
        announce(false);
    }

    /** Fixes the start of load at {@code epochMillis}, and announces it. */
    synchronized void startAt(long epochMillis) {
        startEpoch = epochMillis * 1_000_000L;
        loadEpoch = startEpoch;
        announce(false);
    }

    /**
     * Announces the slices' final times. Where {@code sinceStart} nanoseconds were still to come at {@code epochMillis},
     * everything is earlier by as much: every clock that is told the same moment shows the same time afterwards.
     */
    synchronized void leap(long sinceStart, long epochMillis) {
        long ahead = Math.max(0, sinceStart - (epochMillis * 1_000_000L - startEpoch));
        startEpoch -= ahead - ahead % 1_000_000L;
        announce(true);
    }

    /** Announces that the slices' times will not move any more. */
    synchronized void keep() {
        announce(true);
    }

    /** Nanoseconds since the start of load; negative before it. */
    long now() {
        return epoch() - startEpoch;
    }

    /** How long to wait until {@code due}, in whole milliseconds and never too short; zero when it has passed. */
    Duration until(long due) {
        // Gatling pauses for whole milliseconds: rounding down would send ahead of time.
        return Duration.ofMillis(Math.max(0, -Math.floorDiv(now() - due, 1_000_000L)));
    }

    /** How long to wait until a moment of the time of day, likewise. */
    Duration untilEpoch(long millis) {
        return Duration.ofMillis(Math.max(0, -Math.floorDiv(epoch() - millis * 1_000_000L, 1_000_000L)));
    }

    /** Whether the start of load is fixed. */
    boolean started() {
        return startEpoch != Long.MIN_VALUE;
    }

    /** Whole milliseconds since the epoch of a time in nanoseconds after the start of load. */
    long epochMillisOf(long sinceStart) {
        return Math.floorDiv(startEpoch + sinceStart, 1_000_000L);
    }

    /** Milliseconds since the epoch, with three decimals, of a time in nanoseconds after the start of load. */
    String epochMillis(long sinceStart) {
        return millis(startEpoch + sinceStart);
    }

    /** Nanoseconds as milliseconds with three decimals. */
    static String millis(long epoch) {
        long micros = Math.floorDiv(epoch, 1_000L);
        return String.format(Locale.ROOT, "%d.%03d", micros / 1_000, micros % 1_000);
    }

    /** Nanoseconds since the epoch, now. */
    long epoch() {
        return anchor.epoch() + (System.nanoTime() - anchor.nano());
    }

    private void announce(boolean last) {
        String json = String.format(
                Locale.ROOT,
                "{\"loadStartMs\": %s, \"measureStartMs\": %s, \"sliceMs\": %s, \"gapMs\": %s, \"final\": %b}%n",
                millis(loadEpoch),
                epochMillis(timeline.measureStart()),
                plan.sliceSeconds() * 1e3,
                plan.gapSeconds() * 1e3,
                last);
        Path file = Path.of(plan.clockFile());
        Path partial = Path.of(plan.clockFile() + ".partial");
        try {
            Files.writeString(partial, json);
            Files.move(partial, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException error) {
            throw new UncheckedIOException("Cannot write the clock file " + file, error);
        }
    }

    /**
     * The same moment on both clocks.
     *
     * @param nano by {@link System#nanoTime}
     * @param epoch nanoseconds since the epoch
     */
    record Anchor(long nano, long epoch) {
        private static final int READINGS = 20;

        /** Of some readings that in which the least time passed: a thread may have to wait between two clocks. */
        static Anchor tightest(LongSupplier nano, LongSupplier epoch) {
            Anchor best = null;
            long shortest = Long.MAX_VALUE;
            for (int reading = 0; reading < READINGS; reading++) {
                long before = nano.getAsLong();
                long between = epoch.getAsLong();
                long took = nano.getAsLong() - before;
                if (took < shortest) {
                    shortest = took;
                    best = new Anchor(before + took / 2, between);
                }
            }
            return best;
        }
    }

    private static long epochNow() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000_000L + now.getNano();
    }
}
