package dev.pacecar.agent;

import com.sun.management.ThreadMXBean;
import java.lang.reflect.Method;

/** The JVM's own sum over all threads, living and ended. By reflection: the agent is compiled for JDK 17. */
final class TotalAllocation implements Allocation {
    private final ThreadMXBean threads;
    private final Method total;

    TotalAllocation(ThreadMXBean threads, Method total) {
        this.threads = threads;
        this.total = total;
    }

    @Override
    public String source() {
        return "total";
    }

    @Override
    public long bytes() {
        try {
            long all = (Long) total.invoke(threads);
            return all - threads.getThreadAllocatedBytes(Thread.currentThread().getId());
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException("The JVM does not tell its allocation", error);
        }
    }
}
