package dev.pacecar.agent.calls;

import java.lang.reflect.Method;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * How many commands of the application a client of Redis sends, by what it hands to its connection.
 *
 * <p>Clients open and check connections by commands, too, and how often they do so depends on how long connections lay
 * idle. No method tells these apart, in any client, so a command's name must.
 */
final class RedisCommands {
    /** What opens, checks and settles a connection, or asks which nodes there are; some clients write it small. */
    private static final Set<String> UPKEEP = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);

    static {
        UPKEEP.addAll(List.of("ASKING", "AUTH", "CLIENT", "CLUSTER", "COMMAND", "HELLO", "INFO", "PING"));
        UPKEEP.addAll(List.of("QUIT", "READONLY", "READWRITE", "RESET", "ROLE", "SELECT", "SENTINEL"));
    }

    /** Types of clients -> their method that leads on to a command's name, or to several commands. */
    private static final Map<String, String> LEADING = Map.of(
            "io.lettuce.core.protocol.RedisCommand", "getType",
            "redis.clients.jedis.CommandArguments", "getCommand",
            "org.redisson.client.protocol.CommandData", "getCommand",
            "org.redisson.client.protocol.CommandsData", "getCommands",
            "org.redisson.client.protocol.RedisCommand", "getName",
            "io.vertx.redis.client.Request", "command");

    private static final ClassValue<Method> NEXT = new ClassValue<>() {
        @Override
        protected Method computeValue(Class<?> type) {
            try {
                return leading(type);
            } catch (NoSuchMethodException another) {
                throw new IllegalStateException(another); // the client is of a version that nobody here knows
            }
        }
    };

    private RedisCommands() {}

    /** Of a command, of several, or of the name of one. */
    static int count(Object sent) throws ReflectiveOperationException {
        if (sent instanceof Collection<?> several) {
            int count = 0;
            for (Object each : several) {
                count += count(each);
            }
            return count;
        }
        Method next = NEXT.get(sent.getClass());
        if (next != null) {
            return count(next.invoke(sent));
        }
        return UPKEEP.contains(sent.toString()) ? 0 : 1;
    }

    /** Of the type that declares it, which is public where the object's own class need not be. */
    private static Method leading(Class<?> type) throws NoSuchMethodException {
        String name = LEADING.get(type.getName());
        if (name != null) {
            return type.getMethod(name);
        }
        for (Class<?> each : type.getInterfaces()) {
            Method found = leading(each);
            if (found != null) {
                return found;
            }
        }
        return type.getSuperclass() == null ? null : leading(type.getSuperclass());
    }
}
