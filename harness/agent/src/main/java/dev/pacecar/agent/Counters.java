package dev.pacecar.agent;

import dev.pacecar.agent.calls.CallCounting;
import java.lang.management.ClassLoadingMXBean;
import java.lang.management.CompilationMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.lang.management.RuntimeMXBean;
import java.lang.management.ThreadMXBean;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/** The counters of this JVM, as one line of JSON. Used by one thread. */
final class Counters {
    private final RuntimeMXBean runtime = ManagementFactory.getRuntimeMXBean();
    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final CompilationMXBean compilation = ManagementFactory.getCompilationMXBean();
    private final MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    private final ClassLoadingMXBean classes = ManagementFactory.getClassLoadingMXBean();
    private final List<GarbageCollectorMXBean> collectors;
    private final List<MemoryPoolMXBean> heap;
    private final Allocation allocation;
    private final CallCounting calls;

    /**
     * @param calls what counts calls; null where none are counted
     */
    Counters(Allocation allocation, CallCounting calls) {
        this.allocation = allocation;
        this.calls = calls;
        // ZGC and Shenandoah have a second bean for their concurrent cycles, whose time stops nobody.
        collectors = ManagementFactory.getGarbageCollectorMXBeans().stream()
                .filter(collector -> !collector.getName().endsWith("Cycles"))
                .toList();
        heap = ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP)
                .toList();
    }

    /** See {@link Allocation#watchMillis}. */
    long watchMillis() {
        return allocation.watchMillis();
    }

    /** See {@link Allocation#watch}. */
    void watch() {
        allocation.watch();
    }

    /** All counters, cumulative since the JVM started unless their name says otherwise. */
    String json() {
        // First: what follows allocates on this thread only, which is left out.
        long own = calls == null ? 0 : calls.ownBytes();
        long allocated = Math.max(0, allocation.bytes() - own);
        int living = threads.getThreadCount();
        return String.format(
                Locale.ROOT,
                "{\"uptimeMs\":%d,\"allocatedBytes\":%d,\"allocationSource\":\"%s\",\"threads\":%d,\"threadsEnded\":%d,"
                        + "\"jitMs\":%d,\"gcCount\":%d,\"gcMs\":%d,\"heapUsedBytes\":%d,"
                        + "\"heapAfterGcBytes\":%d,\"loadedClasses\":%d%s}",
                runtime.getUptime(),
                allocated,
                allocation.source(),
                living,
                Math.max(0, threads.getTotalStartedThreadCount() - living),
                jitMillis(),
                collectors.stream()
                        .mapToLong(collector -> Math.max(0, collector.getCollectionCount()))
                        .sum(),
                collectors.stream()
                        .mapToLong(collector -> Math.max(0, collector.getCollectionTime()))
                        .sum(),
                memory.getHeapMemoryUsage().getUsed(),
                heapAfterGc(),
                classes.getLoadedClassCount(),
                calls == null ? "" : ",\"calls\":" + calls.json());
    }

    /**
     * What each pool of the heap held when it was last collected; 0 before that. All pools are collected at once by a full
     * collection only: after one, this is what is alive, and what the service has allocated since is not in it.
     */
    private long heapAfterGc() {
        return heap.stream()
                .map(MemoryPoolMXBean::getCollectionUsage)
                .filter(Objects::nonNull) // a pool that no collector tells of
                .mapToLong(MemoryUsage::getUsed)
                .sum();
    }

    private long jitMillis() {
        boolean known = compilation != null && compilation.isCompilationTimeMonitoringSupported();
        return known ? compilation.getTotalCompilationTime() : 0;
    }
}
