package dev.pacecar.scenarios;

import java.util.ArrayList;
import java.util.List;

/**
 * When which side is under load, in nanoseconds after the start of load.
 *
 * <p>First the warm-up on all sides, then a gap, then the slices, each followed by a gap in which requests drain
 * and counters are read.
 */
public final class Timeline {
    private final List<Slice> slices;
    private final long burstEnd;
    private final long warmupEnd;
    private final long measureStart;
    private final long gap;

    /**
     * One stretch of load on one side: [start, end) in nanoseconds after the start of load.
     *
     * @param index from 0, in order of time
     * @param side the side under load
     * @param round number of the round it belongs to, from 0
     * @param start its beginning
     * @param end its end, exclusive
     */
    public record Slice(int index, String side, int round, long start, long end) {}

    /** Lays out the plan's slices. */
    public Timeline(Plan plan) {
        warmupEnd = nanos(plan.warmup().seconds());
        burstEnd = Math.min(warmupEnd, nanos(plan.warmup().burstSeconds()));
        gap = nanos(plan.gapSeconds());
        measureStart = warmupEnd + gap;
        long slice = nanos(plan.sliceSeconds());
        long stride = slice + gap;
        List<Slice> laidOut = new ArrayList<>();
        for (int index = 0; index < plan.slices().size(); index++) {
            String side = plan.slices().get(index);
            int round = (int) plan.slices().subList(0, index).stream()
                    .filter(side::equals)
                    .count();
            long start = measureStart + index * stride;
            laidOut.add(new Slice(index, side, round, start, start + slice));
        }
        slices = List.copyOf(laidOut);
    }

    /** All slices in order of time. */
    public List<Slice> slices() {
        return slices;
    }

    /** The slices of one side in order of time. */
    public List<Slice> slicesOf(String side) {
        return slices.stream().filter(slice -> slice.side().equals(side)).toList();
    }

    /** End of the part of the warm-up that runs under more than the measured load. */
    public long burstEnd() {
        return burstEnd;
    }

    /** End of the warm-up. */
    public long warmupEnd() {
        return warmupEnd;
    }

    /** Start of the first slice. */
    public long measureStart() {
        return measureStart;
    }

    /** End of the last slice. */
    public long end() {
        return slices.get(slices.size() - 1).end();
    }

    /** End of the gap after the last slice. */
    public long over() {
        return end() + gap;
    }

    static long nanos(double seconds) {
        return Math.round(seconds * 1e9);
    }
}
