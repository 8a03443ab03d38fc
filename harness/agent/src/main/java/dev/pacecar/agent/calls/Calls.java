package dev.pacecar.agent.calls;

import java.lang.reflect.Array;

/**
 * What happens where an instrumented method begins and ends.
 *
 * <p>Pools wrap the statements of drivers, and drivers theirs, so a call passes several instrumented methods on its
 * thread: the outermost counts. What a driver sends by HTTP is its statement, counted already; a statement within an HTTP
 * call is one of the application's, such as that of a handler of responses.
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

    Calls(Tally tally, Callers callers, OwnAllocation own) {
        this.tally = tally;
        this.callers = callers;
        this.own = own;
    }

    /** A method of {@code receiver} begins; returns what {@link #exit} is to be told, 0 where it is not the outermost. */
    int enter(Object receiver, Object what) {
        int[] here = null;
        int entered = 0;
        try {
            int kind = what == Kind.CALL ? Kind.OF_HTTP : Kind.OF_DATABASE;
            here = within.get();
            if ((here[0] & (kind | Kind.OF_DATABASE)) != 0 || (Kind.of(receiver.getClass()) & kind) == 0) {
                return 0;
            }
            here[0] |= kind;
            entered = kind;
            if (what == Kind.BATCH) {
                return kind | BATCHED; // how many statements it held shows at its end
            }
            count(kind == Kind.OF_HTTP ? Tally.CALLS : Tally.STATEMENTS, 0);
            return entered;
        } catch (Throwable broken) {
            if (entered != 0) {
                here[0] &= ~entered;
            }
            return 0;
        }
    }

    /** The method ends, by returning or by an exception. */
    void exit(int entered) {
        try {
            if (entered == 0) {
                return;
            }
            within.get()[0] &= ~(entered & ~BATCHED);
            if ((entered & BATCHED) != 0) {
                count(Tally.STATEMENTS, 0); // it failed: something went out, and nobody says how much
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
                count(Tally.STATEMENTS, length);
            }
        } catch (Throwable broken) {
            // Then it goes uncounted.
        }
    }

    private void count(int column, int inBatch) {
        long before = own.now();
        Caller caller = tally.caller(callers.nearest());
        caller.add(column, 1);
        if (inBatch > 0) {
            caller.add(Tally.BATCHED, inBatch);
        }
        own.since(before);
    }
}
