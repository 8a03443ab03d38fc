package dev.pacecar.agent.calls;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.LongAdder;

/**
 * What looking for callers allocates on the service's threads, so that it can be left out of what the service does.
 *
 * <p>A virtual thread is not told of by the JVM: what is looked for on one stays the service's.
 */
final class OwnAllocation {
    private final LongAdder bytes = new LongAdder();
    private volatile ThreadMXBean threads;

    /** From now on it is watched. */
    void watch() {
        threads = ManagementFactory.getPlatformMXBean(ThreadMXBean.class);
    }

    /** What this thread has allocated so far; negative where nobody knows. */
    long now() {
        ThreadMXBean watched = threads;
        return watched == null
                ? -1
                : watched.getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    /** What this thread has allocated since it was at {@code before} is our own. */
    void since(long before) {
        if (before >= 0) {
            long after = now();
            if (after > before) {
                bytes.add(after - before);
            }
        }
    }

    long bytes() {
        return bytes.sum();
    }
}
