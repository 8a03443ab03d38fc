package dev.pacecar.scenarios;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/** The arrivals of the open model: a Poisson process for each slice, drawn from the plan's seed. */
final class Arrivals {
    private Arrivals() {}

    /** A plan's share of all arrivals, those of the warm-up after its burst included, in order of time. */
    static List<Arrival> of(Plan plan, Timeline timeline) {
        List<Arrival> arrivals = new ArrayList<>();
        Stream stream = new Stream(plan.ratePerSecond(), plan.share(), arrivals);
        // The same round is the same stream on both sides, so that both are asked the same.
        for (Timeline.Slice turn : timeline.warmupTurns()) {
            stream.draw(new SplittableRandom(Seeds.derive(plan.seed(), "warm-up", turn.round())), turn);
        }
        for (Timeline.Slice slice : timeline.slices()) {
            stream.draw(new SplittableRandom(Seeds.derive(plan.seed(), "open", slice.round())), slice);
        }
        arrivals.sort(Comparator.comparingLong(Arrival::due)); // stable: ties stay in the order of the sides' names
        return arrivals;
    }

    /** The process of all arrivals, of which a share is kept. */
    private record Stream(double ratePerSecond, Plan.Share share, List<Arrival> kept) {
        void draw(SplittableRandom random, Timeline.Slice slice) {
            double mean = 1e9 / ratePerSecond;
            double offset = exponential(random, mean);
            while (slice.start() + Math.round(offset) < slice.end()) {
                long due = slice.start() + Math.round(offset);
                Arrival arrival = new Arrival(slice.index(), slice.side(), due, random.nextDouble(), random.nextLong());
                if (mine(arrival)) {
                    kept.add(arrival);
                }
                offset += exponential(random, mean);
            }
        }

        // By a mark that the arrival has from its own seed: each share is a Poisson process too, and both sides are
        // asked the same by the same process.
        private boolean mine(Arrival arrival) {
            return Math.floorMod(Seeds.derive(arrival.seed(), "share"), share.of()) == share.index();
        }
    }

    /** An exponentially distributed number with the given mean. */
    static double exponential(SplittableRandom random, double mean) {
        return -mean * Math.log1p(-random.nextDouble());
    }
}
