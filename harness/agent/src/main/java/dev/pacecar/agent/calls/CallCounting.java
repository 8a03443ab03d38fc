package dev.pacecar.agent.calls;

import java.lang.instrument.Instrumentation;
import java.util.List;

/** Counting calls in this JVM, from when somebody begins to the end. */
public final class CallCounting {
    private final Calls calls;
    private final Tally tally;
    private final OwnAllocation own;
    private final Instrumenter instrumenter;

    private CallCounting(Calls calls, Tally tally, OwnAllocation own, Instrumenter instrumenter) {
        this.calls = calls;
        this.tally = tally;
        this.own = own;
        this.instrumenter = instrumenter;
    }

    /**
     * Has the calls of classes that are loaded from now on counted, once somebody begins.
     *
     * @param application prefixes of the application's class names; empty where whatever is no known library is its own
     * @throws Exception when this JVM does not allow it; it is then as it was
     */
    public static CallCounting start(Instrumentation instrumentation, List<String> application) throws Exception {
        Tally tally = new Tally();
        OwnAllocation own = new OwnAllocation();
        Calls calls = new Calls(tally, new Callers(application), own);
        Instrumenter instrumenter = new Instrumenter(Bridge.NAME);
        instrumenter.rehearse();
        Bridge.lead(instrumentation, calls::enter, calls::exit, calls::batched);
        instrumentation.addTransformer(instrumenter);
        return new CallCounting(calls, tally, own, instrumenter);
    }

    /** From now on calls are counted; until then they cost next to nothing. */
    public void begin() {
        calls.begin();
    }

    /** To be called once the JVM is up, on a thread of the agent: it loads the management classes. */
    public void watchOwnAllocation() {
        own.watch();
    }

    /** How many bytes of heap counting has allocated on the service's threads, as far as they were watched. */
    public long ownBytes() {
        return own.bytes();
    }

    /** All counts since the start, as an object of JSON in ASCII; see {@link Tally#json}. */
    public String json() {
        return tally.json(instrumenter.failed());
    }
}
