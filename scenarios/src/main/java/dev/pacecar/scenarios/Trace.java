package dev.pacecar.scenarios;

/**
 * The trace that a request begins, as the header {@code traceparent} of W3C Trace Context tells it (section 3.2): its id
 * is the plan's seed and the request's number in the {@link ArrivalLog}. So a service that passes it on tells which
 * request a span belongs to, and nobody has to compare clocks.
 */
final class Trace {
    static final String HEADER = "traceparent";

    /** The number of requests that are in no log. */
    static final long NOT_LOGGED = 0;

    // The id of the span that a service's own is a child of; of no log, it must not be 0 either.
    private static final long PARENT = 1L << 62;

    private Trace() {}

    /** The header's value for request {@code number}, which is to be recorded wherever it comes. */
    static String parent(long seed, long number) {
        return String.format("00-%016x%016x-%016x-01", seed, number, PARENT | number);
    }
}
