package dev.pacecar.scenarios;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * When which side is under load, in nanoseconds after the start of load.
 *
 * <p>First the warm-up, then a gap, then the slices, each followed by a gap in which requests drain and counters are
 * read. The burst that begins a warm-up is on all sides at once. After it, arrivals of the open model go to them in
 * turn: a service that shared its core with the other would let requests pile up, start threads for them, and keep
 * those for good.
 */
public final class Timeline {
    private final List<Slice> slices;
    private final List<Slice> warmupTurns;
    private final long burstEnd;
    private final long warmupEnd;
    private final long measureStart;
    private final long gap;

    /**
     * One stretch of load on one side: [start, end) in nanoseconds after the start of load.
     *
     * @param index from 0, in order of time, or {@link Arrival#WARMUP}
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
        warmupTurns = turnsBetween(plan.sides().keySet().stream().sorted().toList(), burstEnd, warmupEnd);
    }

    // Both ways round, so that no side's last turn is long ago. Without a burst nobody is warm yet, and everybody has
    // all of the warm-up.
    private static List<Slice> turnsBetween(List<String> sides, long start, long end) {
        if (start == 0) {
            return sides.stream()
                    .map(side -> new Slice(Arrival.WARMUP, side, 0, 0, end))
                    .toList();
        }
        int count = sides.size();
        long turn = (end - start) / (2 * count);
        return IntStream.range(0, 2 * count)
                .mapToObj(index -> new Slice(
                        Arrival.WARMUP,
                        sides.get(index < count ? index : 2 * count - 1 - index),
                        index / count,
                        start + index * turn,
                        start + (index + 1) * turn))
                .toList();
    }

    /** The turns after the burst, in order of time; without a burst, one on each side that is the whole warm-up. */
    public List<Slice> warmupTurns() {
        return warmupTurns;
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
