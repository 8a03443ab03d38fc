package dev.pacecar.scenarios;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * One user of the closed model: thinks, asks, waits for the answer, again and again, but only while its side is
 * under load.
 *
 * <p>How many requests it makes depends on the answers; which ones, and how long it thinks before each, does
 * not: each slice begins a new random stream that the user with the same number on the other side has too.
 */
final class ClosedUser {
    private final Plan plan;
    private final String side;
    private final int number;
    private final List<Stretch> stretches;
    private int current;
    private SplittableRandom random;

    /** A time in which the user's side is under load. */
    private record Stretch(int slice, long start, long end, double intensity, long seed) {}

    ClosedUser(Plan plan, Timeline timeline, String side, int number) {
        this.plan = plan;
        this.side = side;
        this.number = number;
        stretches = new ArrayList<>();
        double burstFactor = plan.warmup().burstFactor();
        stretches.add(stretch(Arrival.WARMUP, 0, timeline.burstEnd(), burstFactor, "closed burst", 0));
        stretches.add(stretch(Arrival.WARMUP, timeline.burstEnd(), timeline.warmupEnd(), 1, "closed warm-up", 0));
        for (Timeline.Slice slice : timeline.slicesOf(side)) {
            stretches.add(stretch(slice.index(), slice.start(), slice.end(), 1, "closed", slice.turn()));
        }
        enter(0);
    }

    /** Its next request when it is {@code now} and the last one was answered; null when it has none any more. */
    Arrival next(long now) {
        while (current < stretches.size()) {
            Stretch stretch = stretches.get(current);
            double think = Arrivals.exponential(random, plan.thinkTimeMs() * 1e6 / stretch.intensity());
            long due = Math.max(now, stretch.start()) + Math.round(think);
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

    private Stretch stretch(int slice, long start, long end, double intensity, String purpose, int turn) {
        return new Stretch(slice, start, end, intensity, Seeds.derive(plan.seed(), purpose, turn, number));
    }
}
