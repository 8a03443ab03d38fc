import java.util.function.LongUnaryOperator;

/** Threads that each do one known thing, for a test of what the profiling agent says about them. */
public final class Workload {
    private static final Object LOCK = new Object();
    private static final int DEEP = 700;
    static volatile Object sink;
    static volatile long result;

    public static void main(String[] arguments) throws InterruptedException {
        start("burner", Workload::burn);
        start("allocator", Workload::allocate);
        start("holder", Workload::hold);
        start("waiter", Workload::waitForLock);
        start("sleeper", Workload::sleepLong);
        start("diver", () -> dive(DEEP));
        System.out.println("ready");
        Thread.sleep(Long.parseLong(arguments[0]) * 1000);
        System.exit(0);
    }

    private interface Step {
        void run() throws InterruptedException;
    }

    private static void start(String name, Step step) {
        Thread thread = new Thread(() -> repeat(step), name);
        thread.setDaemon(true);
        thread.start();
    }

    private static void repeat(Step step) {
        try {
            while (true) {
                step.run();
            }
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }

    /** Nearly all of the process's CPU time, by way of a lambda. */
    private static void burn() throws InterruptedException {
        LongUnaryOperator step = seed -> hotMethod(seed);
        long until = System.nanoTime() + 30_000_000;
        while (System.nanoTime() < until) {
            result = step.applyAsLong(result);
        }
        Thread.sleep(20);
    }

    static long hotMethod(long seed) {
        long value = seed;
        for (int i = 0; i < 200_000; i++) {
            value = value * 6364136223846793005L + 1442695040888963407L;
            value ^= value >>> 29;
        }
        return value;
    }

    /** 256 KiB every 2 ms: about 128 MB a second at most. */
    private static void allocate() throws InterruptedException {
        sink = new byte[256 << 10];
        Thread.sleep(2);
    }

    private static void hold() throws InterruptedException {
        synchronized (LOCK) {
            Thread.sleep(20);
        }
        Thread.sleep(5);
    }

    private static void waitForLock() throws InterruptedException {
        synchronized (LOCK) {
            result++;
        }
        Thread.sleep(5);
    }

    private static void sleepLong() throws InterruptedException {
        Thread.sleep(60_000);
    }

    /** A stack deeper than the agent is told to keep, asleep most of the time. */
    private static void dive(int depth) throws InterruptedException {
        if (depth > 0) {
            dive(depth - 1);
        } else {
            result = hotMethod(result);
            Thread.sleep(50);
        }
    }
}
