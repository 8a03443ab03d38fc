package dev.pacecar.agent;

import dev.pacecar.agent.calls.CallCounting;
import java.lang.instrument.Instrumentation;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * Where the JVM enters: {@code -javaagent:pacecar-agent.jar=/path/of/socket}, and where calls are to be counted
 * {@code /path/of/socket|calls|shop.orders|shop.mail} with the prefixes of the application's class names, if any. They are
 * counted from when somebody first asks for them, at {@code /path/of/socket.4711.calls}.
 */
public final class CounterAgent {
    private static final String CALLS = "|calls";

    private CounterAgent() {}

    /**
     * Starts answering on the socket that {@code argument} names and this JVM's process id, as in
     * {@code /path/of/socket.4711}; on any failure says so and lets the service be. The profiling agent, which starts after
     * it, gets an address of this JVM's own.
     */
    public static void premain(String argument, Instrumentation instrumentation) {
        try {
            ProfileAddress.settle();
            if (argument == null || argument.isBlank()) {
                throw new IllegalArgumentException("no socket: use -javaagent:pacecar-agent.jar=/path/of/socket");
            }
            int end = argument.lastIndexOf(CALLS);
            CallCounting calls = end < 0 ? null : counting(instrumentation, argument.substring(end + CALLS.length()));
            String socket = end < 0 ? argument : argument.substring(0, end);
            Path own = CounterServer.ofThisJvm(socket);
            Thread thread = new Thread(CounterServer.bind(own, calls), CounterServer.THREAD);
            thread.setDaemon(true);
            thread.start();
        } catch (Throwable failure) {
            giveUp(failure);
        }
    }

    /** Null where this JVM does not let calls be counted: everything else still is. */
    private static CallCounting counting(Instrumentation instrumentation, String prefixes) {
        try {
            List<String> application = Arrays.stream(prefixes.split("\\|"))
                    .filter(prefix -> !prefix.isEmpty())
                    .toList();
            return CallCounting.start(instrumentation, application);
        } catch (Throwable failure) {
            System.err.println("pacecar-agent: counts no calls: " + failure);
            return null;
        }
    }

    static void giveUp(Throwable failure) {
        System.err.println("pacecar-agent: gave up: " + failure);
    }
}
