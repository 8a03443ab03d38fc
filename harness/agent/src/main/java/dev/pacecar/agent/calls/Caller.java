package dev.pacecar.agent.calls;

import java.util.concurrent.atomic.LongAdder;

/** What one method of the application has asked of others. */
final class Caller {
    final String type;
    final String method;
    private final LongAdder[] counts = {new LongAdder(), new LongAdder(), new LongAdder()};

    /** Names are such that they may stand in JSON. */
    Caller(String type, String method) {
        this.type = type;
        this.method = method;
    }

    /** One of the columns of {@link Tally}. */
    void add(int column, long count) {
        counts[column].add(count);
    }

    long count(int column) {
        return counts[column].sum();
    }
}
