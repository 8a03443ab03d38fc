package shop;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** As much of Redis (RESP 2) as its clients need to get and set: whoever greets it by a later version is refused. */
final class SmallRedis implements AutoCloseable {
    private final Listening listening;
    private final Map<String, String> values = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<String> seen = new ConcurrentLinkedQueue<>();

    SmallRedis() throws IOException {
        listening = new Listening(this::serve);
    }

    int port() {
        return listening.port();
    }

    String address() {
        return "redis://127.0.0.1:" + port();
    }

    /** Names of all commands that came, in their order. */
    List<String> seen() {
        return List.copyOf(seen);
    }

    @Override
    public void close() throws IOException {
        listening.close();
    }

    private void serve(DataInputStream in, DataOutputStream out) throws IOException {
        while (true) {
            List<String> command = read(in);
            seen.add(command.get(0).toUpperCase());
            out.write(answer(command).getBytes(StandardCharsets.UTF_8));
            out.flush();
        }
    }

    private static List<String> read(DataInputStream in) throws IOException {
        int length = Integer.parseInt(line(in).substring(1));
        List<String> command = new ArrayList<>();
        for (int i = 0; i < length; i++) {
            byte[] word = new byte[Integer.parseInt(line(in).substring(1))];
            in.readFully(word);
            line(in);
            command.add(new String(word, StandardCharsets.UTF_8));
        }
        return command;
    }

    private static String line(DataInputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int each = in.readUnsignedByte(); each != '\n'; each = in.readUnsignedByte()) {
            line.append(each == '\r' ? "" : (char) each);
        }
        return line.toString();
    }

    private String answer(List<String> command) {
        return switch (command.get(0).toUpperCase()) {
            case "PING" -> "+PONG\r\n";
            case "AUTH", "CLIENT", "SELECT", "READONLY" -> "+OK\r\n";
            case "INFO" -> bulk("redis_version:7.0.0\r\n");
            case "SET" -> {
                values.put(command.get(1), command.get(2));
                yield "+OK\r\n";
            }
            case "GET" -> bulk(values.get(command.get(1)));
            default -> "-ERR unknown command\r\n";
        };
    }

    private static String bulk(String value) {
        return value == null
                ? "$-1\r\n"
                : "$" + value.getBytes(StandardCharsets.UTF_8).length + "\r\n" + value + "\r\n";
    }
}
