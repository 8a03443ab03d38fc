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
    /** A statement; a request to another service, or a message. As they stand in what is put into methods. */
    static final String COMMAND = "command";

    static final String REQUEST = "request";
    /** Commands of Redis, which are the method's first argument that is an object. */
    static final String REDIS = "redis";

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
            List.of("execute(Lorg/asynchttpclient/Request;"),
            "org/apache/kafka/clients/producer/KafkaProducer",
            List.of("send(Lorg/apache/kafka/clients/producer/ProducerRecord;"
                    + "Lorg/apache/kafka/clients/producer/Callback;"),
            "com/rabbitmq/client/impl/ChannelN",
            List.of("basicPublish(Ljava/lang/String;Ljava/lang/String;ZZ"));

    private static final String JEDIS = "redis/clients/jedis/Protocol";
    private static final String TO_JEDIS = "sendCommand(Lredis/clients/jedis/util/RedisOutputStream;";

    /** Where pipelines, clusters and transactions of each client have come to one connection. */
    private static final Map<String, List<String>> OF_REDIS = Map.of(
            "io/lettuce/core/protocol/DefaultEndpoint",
            List.of("write(Lio/lettuce/core/protocol/RedisCommand;", "write(Ljava/util/Collection;"),
            JEDIS,
            List.of(
                    TO_JEDIS + "Lredis/clients/jedis/CommandArguments;",
                    TO_JEDIS + "Lredis/clients/jedis/commands/ProtocolCommand;"),
            "org/redisson/client/RedisConnection",
            List.of(
                    "send(Lorg/redisson/client/protocol/CommandData;",
                    "send(Lorg/redisson/client/protocol/CommandsData;"),
            "io/vertx/redis/client/impl/RedisStandaloneConnection",
            List.of("send(Lio/vertx/redis/client/Request;", "batch(Ljava/util/List;"));

    private Senders() {}

    /** Whether a class is one of them, by its internal name. */
    static boolean knows(String type) {
        return COMMANDS.containsKey(type) || REQUESTS.containsKey(type) || OF_REDIS.containsKey(type);
    }

    /** Whether the methods of that class which send are static. */
    static boolean isStatic(String type) {
        return type.equals(JEDIS);
    }

    /** {@link #COMMAND}, {@link #REQUEST} or {@link #REDIS}; null where that method of the class is none. */
    static String of(String type, String method, String descriptor) {
        if (begins(COMMANDS, type, method + descriptor)) {
            return COMMAND;
        }
        if (begins(OF_REDIS, type, method + descriptor)) {
            return REDIS;
        }
        return begins(REQUESTS, type, method + descriptor) ? REQUEST : null;
    }

    private static boolean begins(Map<String, List<String>> of, String type, String method) {
        return of.getOrDefault(type, List.of()).stream().anyMatch(method::startsWith);
    }
}
