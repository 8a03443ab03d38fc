package dev.pacecar.agent;

import java.lang.management.ClassLoadingMXBean;
import java.lang.management.CompilationMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.RuntimeMXBean;
import java.lang.management.ThreadMXBean;
import java.util.List;
import java.util.Locale;

/** The counters of this JVM, as one line of JSON. Used by one thread. */
final class Counters {
    private final RuntimeMXBean runtime = ManagementFactory.getRuntimeMXBean();
    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final CompilationMXBean compilation = ManagementFactory.getCompilationMXBean();
    private final MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    private final ClassLoadingMXBean classes = ManagementFactory.getClassLoadingMXBean();
    private final List<GarbageCollectorMXBean> collectors;
    private final Allocation allocation;

    Counters(Allocation allocation) {
        this.allocation = allocation;
        // ZGC and Shenandoah have a second bean for their concurrent cycles, whose time stops nobody.
        collectors = ManagementFactory.getGarbageCollectorMXBeans().stream()
                .filter(collector -> !collector.getName().endsWith("Cycles"))
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
        long allocated = allocation.bytes(); // first: what follows allocates on this thread only, which is left out
        int living = threads.getThreadCount();
        return String.format(
                Locale.ROOT,
                "{\"uptimeMs\":%d,\"allocatedBytes\":%d,\"allocationSource\":\"%s\",\"threads\":%d,\"threadsEnded\":%d,"
                        + "\"jitMs\":%d,\"gcCount\":%d,\"gcMs\":%d,\"heapUsedBytes\":%d,\"loadedClasses\":%d}",
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
                classes.getLoadedClassCount());
    }

    private long jitMillis() {
        boolean known = compilation != null && compilation.isCompilationTimeMonitoringSupported();
        return known ? compilation.getTotalCompilationTime() : 0;
    }
}
