package dev.pacecar.agent;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A fixed piece of work that tells how fast this machine is just now: hashing, sorting, a map of strings, and memory
 * read in an order that no prefetcher guesses, as services do.
 *
 * <p>Prints the median time of a round in nanoseconds, after {@code args[0]} seconds of warm-up, over {@code args[1]}
 * seconds.
 */
public final class Yardstick {
    private static final int NUMBERS = 1 << 13;
    private static final int STRINGS = 2_000;
    private static final int CHAIN = 1 << 17;
    private static final int STEPS = 5_000;

    private final long[] numbers = new SplittableRandom(7).longs(NUMBERS).toArray();
    private final String[] strings = new String[STRINGS];
    private final int[] chain = cycle(CHAIN, new SplittableRandom(11));
    private int place;

    private Yardstick() {
        for (int i = 0; i < STRINGS; i++) {
            strings[i] = "order-" + numbers[i];
        }
    }

    public static void main(String[] args) {
        Yardstick yardstick = new Yardstick();
        yardstick.rounds(Double.parseDouble(args[0]));
        List<Long> times = yardstick.rounds(Double.parseDouble(args[1]));
        times.sort(null);
        System.out.println(times.get(times.size() / 2));
    }

    private List<Long> rounds(double seconds) {
        List<Long> times = new ArrayList<>();
        long end = System.nanoTime() + (long) (seconds * 1e9);
        long result = 0;
        do {
            long start = System.nanoTime();
            result += round();
            times.add(System.nanoTime() - start);
        } while (System.nanoTime() < end);
        if (result == 42) { // never: but the work must not be optimised away
            System.err.println(result);
        }
        return times;
    }

    private long round() {
        long[] sorted = numbers.clone();
        Arrays.sort(sorted);
        Map<String, Integer> counts = new HashMap<>();
        for (String string : strings) {
            counts.merge(string.substring(0, 9), 1, Integer::sum);
        }
        for (int step = 0; step < STEPS; step++) {
            place = chain[place];
        }
        return sorted[NUMBERS / 2] ^ counts.size() ^ place ^ Arrays.hashCode(numbers);
    }

    // One cycle through all places, in an order drawn once: Sattolo's algorithm.
    private static int[] cycle(int length, SplittableRandom random) {
        int[] next = new int[length];
        for (int i = 0; i < length; i++) {
            next[i] = i;
        }
        for (int i = length - 1; i > 0; i--) {
            int other = random.nextInt(i);
            int kept = next[i];
            next[i] = next[other];
            next[other] = kept;
        }
        return next;
    }
}
