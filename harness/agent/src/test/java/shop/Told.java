package shop;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the agent in this JVM tells. */
final class Told {
    private static final String COLUMNS = "(\\d+),(\\d+),(\\d+)]";

    private Told() {}

    /** Everything; calls are counted from the first time on. */
    static String all() throws IOException {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            String own = System.getProperty("counters") + "."
                    + ProcessHandle.current().pid() + ".calls";
            channel.connect(UnixDomainSocketAddress.of(own));
            return new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    /** Statements, those in batches, and calls that this method has made; empty where it has made none. */
    static List<Long> counts(Class<?> type, String method) throws IOException {
        String all = all();
        assertTrue(all.contains("\"failed\":0,"), all);
        return columns(all, Pattern.quote("[\"" + type.getName() + "\",\"" + method + "\","));
    }

    /** The same of no method of the application. */
    static List<Long> unknown() throws IOException {
        return columns(all(), Pattern.quote("\"unknown\":["));
    }

    private static List<Long> columns(String all, String before) {
        Matcher found = Pattern.compile(before + COLUMNS).matcher(all);
        return found.find()
                ? List.of(
                        Long.parseLong(found.group(1)), Long.parseLong(found.group(2)), Long.parseLong(found.group(3)))
                : List.of();
    }
}
