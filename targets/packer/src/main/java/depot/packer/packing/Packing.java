package depot.packer.packing;

import depot.packer.archive.Archive;
import depot.packer.archive.Part;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The threads that pack, `pack-N`: each archive keeps several of them busy. */
public final class Packing {

    private static final int THREADS = 10;
    /** Of parts that wait for a thread. */
    private static final int QUEUE = 3_000;

    private static final int PARTS = 30;
    private static final int PART_BYTES = 2 * 1024 * 1024;

    private final PartPacker packer = new PartPacker(PART_BYTES);
    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            THREADS, THREADS, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(QUEUE), named("pack-"));

    /**
     * Packs an archive, all parts at once, and waits for them.
     *
     * @throws RejectedExecutionException when too many parts wait already
     */
    public Archive pack(int id) throws InterruptedException {
        var tasks = new ArrayList<Callable<Part>>(PARTS);
        for (int part = 1; part <= PARTS; part++) {
            int number = part;
            tasks.add(() -> packer.pack(id, number));
        }
        var parts = new ArrayList<Part>(PARTS);
        List<Future<Part>> packed = threads.invokeAll(tasks);
        for (Future<Part> each : packed) {
            parts.add(done(each));
        }
        return new Archive(id, parts);
    }

    public void stop() {
        threads.shutdownNow();
    }

    private static Part done(Future<Part> part) throws InterruptedException {
        try {
            return part.get();
        } catch (ExecutionException failed) {
            throw new IllegalStateException("a part cannot be packed", failed.getCause());
        }
    }

    private static ThreadFactory named(String prefix) {
        var numbers = new AtomicInteger();
        return task -> {
            var thread = new Thread(task, prefix + numbers.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }
}
