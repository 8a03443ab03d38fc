package dev.pacecar.agent.calls;

import java.util.Set;

/**
 * Which methods are calls, by name and descriptor, and of which types their object must be.
 *
 * <p>The types are told by name alone: none is loaded, and a service that lacks them is not touched. Many a class has a
 * method {@code boolean execute()}, so its type is asked when it runs.
 */
final class Kind {
    /** A statement; one of a batch; a request to another service. As they stand in what is put into methods. */
    static final String STATEMENT = "statement";

    static final String BATCH = "batch";
    static final String CALL = "call";
    /** What a connection needs before it is handed out: no statement within it is one of the application's. */
    static final String UPKEEP = "upkeep";

    /** Bits of {@link #of(Class)}. */
    static final int OF_DATABASE = 1;

    static final int OF_HTTP = 2;
    static final int OF_CONNECTIONS = 4;

    private static final String BY_SOURCE = "()Ljava/sql/Connection;";
    private static final String BY_NAME = "(Ljava/lang/String;Ljava/lang/String;)Ljava/sql/Connection;";
    private static final String BY_DRIVER = "(Ljava/lang/String;Ljava/util/Properties;)Ljava/sql/Connection;";

    /** Whatever has another such method has this one: the word "request" alone stands in too many classes. */
    private static final String BY_OPTIONS = "(Lio/vertx/core/http/RequestOptions;)Lio/vertx/core/Future;";

    /** Without one of these texts in its constants a class has no such method. */
    static final String[] NAMES = {
        "execute",
        "executeQuery",
        "executeUpdate",
        "executeLargeUpdate",
        "executeBatch",
        "executeLargeBatch",
        "send",
        "sendAsync",
        "enqueue",
        "writeRequests",
        BY_OPTIONS,
        "isValid",
        BY_SOURCE,
        BY_NAME,
        BY_DRIVER,
    };

    private static final String RESULT = "Ljava/sql/ResultSet;";
    private static final Set<String> ARGUMENTS = Set.of(
            "()",
            "(Ljava/lang/String;)",
            "(Ljava/lang/String;I)",
            "(Ljava/lang/String;[I)",
            "(Ljava/lang/String;[Ljava/lang/String;)");
    private static final Set<String> OF_QUERY = Set.of("()" + RESULT, "(Ljava/lang/String;)" + RESULT);
    /** Drivers of R2DBC may promise a subtype. */
    private static final Set<String> OF_R2DBC =
            Set.of("()Lorg/reactivestreams/Publisher;", "()Lreactor/core/publisher/Flux;");

    private static final Set<String> OF_VERTX_REQUEST = Set.of("Lio/vertx/core/Future;", "Lio/vertx/core/Handler;)V");
    private static final String JDK_CALL = "(Ljava/net/http/HttpRequest;Ljava/net/http/HttpResponse$BodyHandler;";
    private static final Set<String> STATEMENTS =
            Set.of("java.sql.Statement", "io.r2dbc.spi.Statement", "io.r2dbc.spi.Batch");
    private static final Set<String> CLIENTS = Set.of(
            "java.net.http.HttpClient",
            "java.net.HttpURLConnection",
            "org.apache.http.client.HttpClient",
            "org.apache.http.nio.client.HttpAsyncClient",
            "org.apache.hc.client5.http.classic.HttpClient",
            "org.apache.hc.client5.http.async.HttpAsyncClient",
            "okhttp3.Call",
            "io.vertx.core.http.HttpClient");
    private static final Set<String> CONNECTIONS =
            Set.of("java.sql.Connection", "java.sql.Driver", "javax.sql.DataSource");

    private static final ClassValue<Integer> KINDS = new ClassValue<>() {
        @Override
        protected Integer computeValue(Class<?> type) {
            return typed(type);
        }
    };

    private Kind() {}

    /** One of the texts above; null where a method of that name is none of them. */
    static String of(String method, String descriptor) {
        return switch (method) {
            case "execute" -> ofExecute(descriptor);
            case "executeQuery" -> OF_QUERY.contains(descriptor) ? STATEMENT : null;
            case "executeUpdate" -> ofStatement(descriptor, 'I');
            case "executeLargeUpdate" -> ofStatement(descriptor, 'J');
            case "executeBatch" -> descriptor.equals("()[I") ? BATCH : null;
            case "executeLargeBatch" -> descriptor.equals("()[J") ? BATCH : null;
            case "send", "sendAsync" -> descriptor.startsWith(JDK_CALL) ? CALL : null;
            case "enqueue" -> descriptor.equals("(Lokhttp3/Callback;)V") ? CALL : null;
            case "request" -> ofVertx(descriptor);
            case "writeRequests" -> descriptor.equals("()V") ? CALL : null; // HttpURLConnection: one a request it sends
            case "isValid" -> descriptor.equals("(I)Z") ? UPKEEP : null;
            case "getConnection" -> descriptor.equals(BY_SOURCE) || descriptor.equals(BY_NAME) ? UPKEEP : null;
            case "connect" -> descriptor.equals(BY_DRIVER) ? UPKEEP : null;
            default -> null;
        };
    }

    /** What an object of that class is, as bits; 0 for nothing that is counted. */
    static int of(Class<?> type) {
        return KINDS.get(type);
    }

    private static String ofExecute(String descriptor) {
        if (descriptor.startsWith("(Lorg/apache/http/")
                || descriptor.startsWith("(Lorg/apache/hc/")
                || descriptor.equals("()Lokhttp3/Response;")) {
            return CALL;
        }
        return OF_R2DBC.contains(descriptor) ? STATEMENT : ofStatement(descriptor, 'Z');
    }

    private static String ofVertx(String descriptor) {
        return descriptor.startsWith("(Lio/vertx/core/http/")
                        && OF_VERTX_REQUEST.stream().anyMatch(descriptor::endsWith)
                ? CALL
                : null;
    }

    private static String ofStatement(String descriptor, char result) {
        int last = descriptor.length() - 1;
        return descriptor.charAt(last) == result && ARGUMENTS.contains(descriptor.substring(0, last))
                ? STATEMENT
                : null;
    }

    // What a class extends and implements is there once an object of it is: nothing is loaded by asking.
    private static int typed(Class<?> type) {
        int found = STATEMENTS.contains(type.getName()) ? OF_DATABASE : 0;
        found |= CLIENTS.contains(type.getName()) ? OF_HTTP : 0;
        found |= CONNECTIONS.contains(type.getName()) ? OF_CONNECTIONS : 0;
        for (Class<?> each : type.getInterfaces()) {
            found |= of(each);
        }
        return type.getSuperclass() == null ? found : found | of(type.getSuperclass());
    }
}
