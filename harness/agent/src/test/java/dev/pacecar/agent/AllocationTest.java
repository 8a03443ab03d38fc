package dev.pacecar.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

class AllocationTest {
    private static final long MIB = 1 << 20;

    private static volatile byte[] sink;

    private static void allocate(long bytes) {
        for (long done = 0; done < bytes; done += MIB) {
            sink = new byte[(int) MIB];
        }
    }

    /** Runs {@code test} as the agent does: on a thread of its own, which is left out of the count. */
    private static <T> T onAgentsThread(Callable<T> test) throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            return thread.submit(test).get();
        } finally {
            thread.shutdown();
        }
    }

    @Test
    void countsOtherThreadsAndNotItsOwn() throws Exception {
        long counted = onAgentsThread(() -> {
            Allocation allocation = Allocation.ofThisJvm();
            long before = allocation.bytes();
            Thread other = new Thread(() -> {
                allocate(64 * MIB);
                allocation.bytes(); // seen before it ends
            });
            allocate(256 * MIB);
            other.start();
            other.join();
            return allocation.bytes() - before;
        });
        assertEquals(64.0 * MIB, counted, 4.0 * MIB);
    }

    @Test
    void aThreadThatEndsStaysInTheSum() throws Exception {
        onAgentsThread(() -> {
            Allocation allocation = new ThreadAllocation(ManagementFactory.getPlatformMXBean(ThreadMXBean.class));
            long before = allocation.bytes();
            Thread other = new Thread(() -> {
                allocate(32 * MIB);
                allocation.watch();
            });
            other.start();
            other.join();
            long first = allocation.bytes();
            long second = allocation.bytes();
            assertTrue(first - before >= 32 * MIB, "lost " + (32 * MIB - (first - before)));
            assertTrue(second >= first);
            return null;
        });
    }
}
