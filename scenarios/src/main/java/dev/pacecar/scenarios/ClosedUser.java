package dev.pacecar.scenarios;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;

/**
 * A user who waits for answers: thinks, asks, waits for the answer, again and again, but only while its side is
 * under load.
 *
 * <p>How many requests it makes depends on the answers; which ones, and how long it thinks before each, does
 * not: each slice begins a new random stream that the user with the same number on the other side has too.
 */
final class ClosedUser {
    // A service that refuses at once must not turn a user without pauses into a busy loop.
    private static final double SHORTEST_THOUGHT = 500_000;
    private static final int BURST = 0;

    private final Plan plan;
    private final String side;
    private final int number;
    private final LongSupplier heldBack;
    private final List<Stretch> stretches;
    private int current;
    private SplittableRandom random;

    /** A time in which the user's side is under load, and how long the user thinks on average, in nanoseconds. */
    private record Stretch(int slice, long start, long end, double thought, long seed) {}

    private ClosedUser(Plan plan, Timeline timeline, String side, int number, LongSupplier heldBack) {
        this.plan = plan;
        this.side = side;
        this.number = number;
        this.heldBack = heldBack;
        stretches = new ArrayList<>();
        stretches.add(stretch(Arrival.WARMUP, 0, timeline.burstEnd(), SHORTEST_THOUGHT, "burst", 0));
        enter(BURST);
    }

    /** A user of the burst alone, who waits {@code heldBack} nanoseconds more before each request. */
    static ClosedUser ofBurst(Plan plan, Timeline timeline, String side, int number, LongSupplier heldBack) {
        return new ClosedUser(plan, timeline, side, number, heldBack);
    }

    /** A user of the closed model, from the burst, in which it is held back like its other users, to the last slice. */
    static ClosedUser ofModel(Plan plan, Timeline timeline, String side, int number, LongSupplier heldBack) {
        ClosedUser user = new ClosedUser(plan, timeline, side, number, heldBack);
        double thought = plan.thinkTimeMs() * 1e6;
        user.add(Arrival.WARMUP, timeline.burstEnd(), timeline.warmupEnd(), thought, "closed warm-up", 0);
        for (Timeline.Slice slice : timeline.slicesOf(side)) {
            user.add(slice.index(), slice.start(), slice.end(), thought, "closed", slice.round());
        }
        return user;
    }

    /** Its next request when it is {@code now} and the last one was answered; null when it has none any more. */
    Arrival next(long now) {
        while (current < stretches.size()) {
            Stretch stretch = stretches.get(current);
            double think = Arrivals.exponential(random, stretch.thought());
            long due = Math.max(now, stretch.start()) + Math.round(think);
            if (current == BURST) {
                due += heldBack.getAsLong();
            }
            if (due < stretch.end()) {
                return new Arrival(stretch.slice(), side, due, random.nextDouble(), random.nextLong());
            }
            enter(current + 1);
        }
        return null;
    }

    private void enter(int index) {
        current = index;
        if (index < stretches.size()) {
            random = new SplittableRandom(stretches.get(index).seed());
        }
    }

    private void add(int slice, long start, long end, double thought, String purpose, int round) {
        stretches.add(stretch(slice, start, end, thought, purpose, round));
    }

    private Stretch stretch(int slice, long start, long end, double thought, String purpose, int round) {
        return new Stretch(slice, start, end, thought, Seeds.derive(plan.seed(), purpose, round, number));
    }
}
