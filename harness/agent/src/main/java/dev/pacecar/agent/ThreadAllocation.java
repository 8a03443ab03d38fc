package dev.pacecar.agent;

import com.sun.management.ThreadMXBean;
import java.util.HashMap;
import java.util.Map;

/**
 * The sum over threads, for JVMs that do not keep one.
 *
 * <p>A thread that has ended tells nothing more, so the last value seen of it stays in the sum. What it allocated
 * after it was last seen is lost: at most a tenth of a second's worth, since {@link #watch} looks that often.
 */
final class ThreadAllocation implements Allocation {
    private static final long WATCH_MILLIS = 100;

    private final ThreadMXBean threads;
    private final long own = Thread.currentThread().getId();
    private Map<Long, Long> living = new HashMap<>();
    private long ended;

    ThreadAllocation(ThreadMXBean threads) {
        this.threads = threads;
    }

    @Override
    public String source() {
        return "threads";
    }

    @Override
    public long watchMillis() {
        return WATCH_MILLIS;
    }

    @Override
    public void watch() {
        long[] ids = threads.getAllThreadIds();
        long[] bytes = threads.getThreadAllocatedBytes(ids);
        Map<Long, Long> seen = new HashMap<>();
        for (int i = 0; i < ids.length; i++) {
            if (ids[i] != own && bytes[i] >= 0) { // negative: it ended between the two calls
                seen.put(ids[i], bytes[i]);
            }
        }
        living.forEach((id, last) -> {
            if (!seen.containsKey(id)) {
                ended += last;
            }
        });
        living = seen;
    }

    @Override
    public long bytes() {
        watch();
        return ended + living.values().stream().mapToLong(Long::longValue).sum();
    }
}
