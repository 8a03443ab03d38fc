package bank.ledgerdb.stages;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads that do one part of every request, `ledger-NAME-N`, and the queue in front of them. */
public final class Stage {

    /** Of requests that wait for a thread. */
    private static final int QUEUE = 2_000;

    private final ThreadPoolExecutor threads;

    public Stage(String name, int size) {
        var numbers = new AtomicInteger();
        threads = new ThreadPoolExecutor(size, size, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(QUEUE), task -> {
            var thread = new Thread(task, "ledger-" + name + "-" + numbers.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        threads.prestartAllCoreThreads();
    }

    /**
     * Hands `task` to the next thread that is free.
     *
     * @throws RejectedExecutionException when too many wait already
     */
    public void hand(Runnable task) {
        threads.execute(task);
    }

    public void stop() {
        threads.shutdownNow();
    }
}
