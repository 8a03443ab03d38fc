package dev.pacecar.scenarios;

/**
 * Seeds of independent streams, made from the plan's seed and what the stream is for.
 *
 * <p>The side is never an ingredient: that is what makes both sides of a pair see the same requests.
 */
final class Seeds {
    private Seeds() {}

    /** A seed for the stream {@code purpose}, such as "open", with the numbers that tell its instances apart. */
    static long derive(long seed, String purpose, long... numbers) {
        long mixed = mix(seed ^ purpose.hashCode());
        for (long number : numbers) {
            mixed = mix(mixed + 0x9E3779B97F4A7C15L * (number + 1));
        }
        return mixed;
    }

    // The finaliser of SplitMix64 (Steele, Lea and Flood 2014): neighbouring inputs give unrelated outputs.
    private static long mix(long value) {
        value = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
        value = (value ^ (value >>> 27)) * 0x94D049BB133111EBL;
        return value ^ (value >>> 31);
    }
}
