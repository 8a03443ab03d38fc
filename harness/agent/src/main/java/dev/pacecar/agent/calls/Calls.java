package dev.pacecar.agent.calls;

import java.lang.reflect.Array;

/**
 * What happens where an instrumented method begins and ends.
 *
 * <p>Pools wrap the statements of drivers, and drivers theirs, so a call passes several instrumented methods on its
 * thread: the outermost counts. What a driver sends by HTTP is its statement, counted already; a statement within an HTTP
 * call is one of the application's, such as that of a handler of responses. What a pool or driver asks while it checks or
 * opens a connection is nobody's statement: how often it does so depends on how long connections lay idle.
 *
 * <p>Nothing here throws, whatever happens: it runs in the midst of the service.
 */
final class Calls {
    private static final int BATCHED = 4;

    /** On each thread the kinds of calls that it is within, as bits of {@link Kind}. */
    private final ThreadLocal<int[]> within = ThreadLocal.withInitial(() -> new int[1]);

    private final Tally tally;
    private final Callers callers;
    private final OwnAllocation own;
    private volatile boolean begun;

    Calls(Tally tally, Callers callers, OwnAllocation own) {
        this.tally = tally;
        this.callers = callers;
        this.own = own;
    }

    void begin() {
        begun = true;
    }

    /**
     * A method of {@code receiver} begins, or one that is given it where it is {@link Senders#REDIS}; returns what
     * {@link #exit} is to be told, 0 where it is not the outermost.
     */
    int enter(Object receiver, Object what) {
        if (!begun) {
            return 0;
        }
        int[] here = null;
        int entered = 0;
        try {
            here = within.get();
            if ((here[0] & Kind.OF_DATABASE) != 0) {
                return 0;
            }
            if (what == Senders.COMMAND || what == Senders.REQUEST || what == Senders.REDIS) {
                sent(receiver, what);
                return 0; // it has no further one within, save by whoever listens to it
            }
            int kind = bit(receiver, what);
            if ((here[0] & kind) != 0 || kind == 0) {
                return 0;
            }
            here[0] |= kind;
            entered = kind;
            if (what == Kind.BATCH) {
                return kind | BATCHED; // how many statements it held shows at its end
            }
            if (what != Kind.UPKEEP) {
                count(kind == Kind.OF_HTTP ? Tally.CALLS : Tally.STATEMENTS, 1, 0);
            }
            return entered;
        } catch (Throwable broken) {
            if (entered != 0) {
                here[0] &= ~entered;
            }
            return 0;
        }
    }

    /** What a thread is within while this method of {@code receiver} runs, as a bit; 0 where it counts for nothing. */
    private int bit(Object receiver, Object what) {
        Class<?> type = receiver.getClass();
        int known = Kind.of(type);
        if (what == Kind.UPKEEP) {
            // What a source of the application's own asks before it hands a connection out is its own doing.
            return (known & Kind.OF_CONNECTIONS) != 0 && !callers.isOwn(type.getName()) ? Kind.OF_DATABASE : 0;
        }
        return known & (what == Kind.CALL ? Kind.OF_HTTP : Kind.OF_DATABASE);
    }

    /** The method ends, by returning or by an exception. */
    void exit(int entered) {
        try {
            if (entered == 0) {
                return;
            }
            within.get()[0] &= ~(entered & ~BATCHED);
            if ((entered & BATCHED) != 0) {
                count(Tally.STATEMENTS, 1, 0); // it failed: something went out, and nobody says how much
            }
        } catch (Throwable broken) {
            // Then it goes uncounted.
        }
    }

    /** A batch ends with its {@code result}, which has a number for each of its statements. */
    void batched(Object result, int entered) {
        try {
            if (entered == 0) {
                return;
            }
            within.get()[0] &= ~(entered & ~BATCHED);
            int length = result == null ? 1 : Array.getLength(result);
            if (length > 0) { // of an empty one nothing goes out
                count(Tally.STATEMENTS, 1, length);
            }
        } catch (Throwable broken) {
            // Then it goes uncounted.
        }
    }

    private void sent(Object receiver, Object what) throws ReflectiveOperationException {
        long before = own.now();
        int sent = what == Senders.REDIS ? RedisCommands.count(receiver) : 1;
        own.since(before);
        if (sent > 0) {
            count(what == Senders.REQUEST ? Tally.CALLS : Tally.STATEMENTS, sent, 0);
        }
    }

    private void count(int column, int calls, int inBatch) {
        long before = own.now();
        Caller caller = tally.caller(callers.nearest());
        caller.add(column, calls);
        if (inBatch > 0) {
            caller.add(Tally.BATCHED, inBatch);
        }
        own.since(before);
    }
}
