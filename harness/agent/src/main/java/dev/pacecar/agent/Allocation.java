package dev.pacecar.agent;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** How many bytes of heap all threads but the agent's own have allocated since the JVM started. */
interface Allocation {
    /** {@code total}: the JVM's own sum, exact. {@code threads}: added up from threads, see {@link ThreadAllocation}. */
    String source();

    /** The bytes; never less than the last time. */
    long bytes();

    /** How often {@link #watch} wants to be called, in milliseconds; 0 is never. */
    default long watchMillis() {
        return 0;
    }

    /** Looks at what would be lost by the next reading. */
    default void watch() {}

    /** The most exact count this JVM can give: JDK 21 and later keep a sum that ended threads stay part of. */
    static Allocation ofThisJvm() {
        ThreadMXBean threads = ManagementFactory.getPlatformMXBean(ThreadMXBean.class);
        try {
            return new TotalAllocation(threads, ThreadMXBean.class.getMethod("getTotalThreadAllocatedBytes"));
        } catch (NoSuchMethodException older) {
            return new ThreadAllocation(threads);
        }
    }
}
