package dev.pacecar.agent;

import java.lang.instrument.Instrumentation;
import java.nio.file.Path;

/** Where the JVM enters: {@code -javaagent:pacecar-agent.jar=/path/of/socket}. */
public final class CounterAgent {
    private CounterAgent() {}

    /** Starts answering on the socket named by {@code argument}; on any failure says so and lets the service be. */
    public static void premain(String argument, Instrumentation instrumentation) {
        try {
            if (argument == null || argument.isBlank()) {
                throw new IllegalArgumentException("no socket: use -javaagent:pacecar-agent.jar=/path/of/socket");
            }
            CounterServer server = CounterServer.bind(Path.of(argument));
            Thread thread = new Thread(server, CounterServer.THREAD);
            thread.setDaemon(true);
            thread.start();
        } catch (Throwable failure) {
            giveUp(failure);
        }
    }

    static void giveUp(Throwable failure) {
        System.err.println("pacecar-agent: gave up: " + failure);
    }
}
