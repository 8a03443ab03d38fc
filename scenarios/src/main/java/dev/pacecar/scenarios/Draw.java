package dev.pacecar.scenarios;

import java.util.List;
import java.util.SplittableRandom;

/**
 * The data of one request, drawn from its own seed: the same request meets the same data on both sides.
 *
 * <p>Draw in a fixed order, and draw nothing that depends on the side, the clock or an earlier answer.
 */
public final class Draw {
    private final SplittableRandom random;

    /** Starts the stream of {@code seed}. */
    public Draw(long seed) {
        random = new SplittableRandom(seed);
    }

    /**
     * A whole number between {@code low} and {@code high}, both included.
     *
     * @throws IllegalArgumentException when {@code high} is below {@code low}
     */
    public int number(int low, int high) {
        if (high < low) {
            throw new IllegalArgumentException("no number lies between " + low + " and " + high);
        }
        return (int) random.nextLong(low, high + 1L);
    }

    /** One of {@code values}, each as likely as the others. */
    public <T> T pick(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    /** True with the given probability. */
    public boolean chance(double probability) {
        return random.nextDouble() < probability;
    }
}
