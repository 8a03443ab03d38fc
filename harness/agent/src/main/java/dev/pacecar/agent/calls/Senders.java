package dev.pacecar.agent.calls;

import java.util.List;
import java.util.Map;

/**
 * Classes of libraries through whose one method each request goes once, whoever asked for it and however it is wrapped.
 *
 * <p>Where a library is called by promises and callbacks, calls are no longer within each other on one thread, so that
 * the outermost cannot be told. Such a method is inside of all of that, and has no other one within.
 */
final class Senders {
    /** A statement; a request to another service. As they stand in what is put into methods. */
    static final String COMMAND = "command";

    static final String REQUEST = "request";

    /** Internal names of classes -> beginnings of a method with its descriptor, or all of it. */
    private static final Map<String, List<String>> COMMANDS = Map.of(
            "com/mongodb/internal/connection/CommandProtocolImpl",
            List.of(
                    "execute(Lcom/mongodb/internal/connection/InternalConnection;",
                    "executeAsync(Lcom/mongodb/internal/connection/InternalConnection;"),
            "com/datastax/oss/driver/internal/core/session/DefaultSession",
            List.of("execute(Lcom/datastax/oss/driver/api/core/session/Request;"));

    private static final Map<String, List<String>> REQUESTS = Map.of(
            "reactor/netty/http/client/HttpClientConnect$MonoHttpConnect",
            List.of("subscribe(Lreactor/core/CoreSubscriber;)V"),
            "io/grpc/internal/ClientCallImpl",
            List.of("start(Lio/grpc/ClientCall$Listener;"),
            "org/eclipse/jetty/client/HttpDestination",
            List.of("send(Lorg/eclipse/jetty/client/HttpRequest;"),
            "org/eclipse/jetty/client/transport/HttpDestination",
            List.of("send(Lorg/eclipse/jetty/client/transport/HttpRequest;"),
            "org/asynchttpclient/DefaultAsyncHttpClient",
            List.of("execute(Lorg/asynchttpclient/Request;"));

    private Senders() {}

    /** Whether a class is one of them, by its internal name. */
    static boolean knows(String type) {
        return COMMANDS.containsKey(type) || REQUESTS.containsKey(type);
    }

    /** {@link #COMMAND} or {@link #REQUEST}; null where that method of the class is neither. */
    static String of(String type, String method, String descriptor) {
        if (begins(COMMANDS, type, method + descriptor)) {
            return COMMAND;
        }
        return begins(REQUESTS, type, method + descriptor) ? REQUEST : null;
    }

    private static boolean begins(Map<String, List<String>> of, String type, String method) {
        return of.getOrDefault(type, List.of()).stream().anyMatch(method::startsWith);
    }
}
