package dev.pacecar.scenarios;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/** The arrivals of the open model: a Poisson process for each slice, drawn from the plan's seed. */
final class Arrivals {
    private Arrivals() {}

    /** All arrivals of a plan, those of the warm-up after its burst included, in order of time. */
    static List<Arrival> of(Plan plan, Timeline timeline) {
        List<Arrival> arrivals = new ArrayList<>();
        double rate = plan.ratePerSecond();
        for (String side : plan.sides().keySet().stream().sorted().toList()) {
            // One stream for both sides, so that both have answered the same requests when measuring begins.
            SplittableRandom random = new SplittableRandom(Seeds.derive(plan.seed(), "warm-up"));
            draw(arrivals, random, Arrival.WARMUP, side, timeline.burstEnd(), timeline.warmupEnd(), rate);
        }
        for (Timeline.Slice slice : timeline.slices()) {
            SplittableRandom random = new SplittableRandom(Seeds.derive(plan.seed(), "open", slice.round()));
            draw(arrivals, random, slice.index(), slice.side(), slice.start(), slice.end(), rate);
        }
        arrivals.sort(Comparator.comparingLong(Arrival::due)); // stable: ties stay in the order of the sides' names
        return arrivals;
    }

    private static void draw(
            List<Arrival> arrivals,
            SplittableRandom random,
            int slice,
            String side,
            long start,
            long end,
            double rate) {
        double offset = exponential(random, 1e9 / rate);
        while (start + Math.round(offset) < end) {
            long due = start + Math.round(offset);
            arrivals.add(new Arrival(slice, side, due, random.nextDouble(), random.nextLong()));
            offset += exponential(random, 1e9 / rate);
        }
    }

    /** An exponentially distributed number with the given mean. */
    static double exponential(SplittableRandom random, double mean) {
        return -mean * Math.log1p(-random.nextDouble());
    }
}
