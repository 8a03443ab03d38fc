package dev.pacecar.scenarios;

/**
 * One planned request of the open model.
 *
 * @param slice index of its slice, or {@link #WARMUP}
 * @param side the side it goes to
 * @param due when it is to be sent, in nanoseconds after the start of load
 * @param choice where it falls in the mix, in [0, 1)
 * @param seed seed of its data
 */
public record Arrival(int slice, String side, long due, double choice, long seed) {
    /** The slice of what is sent before measuring begins. */
    public static final int WARMUP = -1;
}
