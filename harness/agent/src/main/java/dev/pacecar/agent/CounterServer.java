package dev.pacecar.agent;

import dev.pacecar.agent.calls.CallCounting;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * Answers every connection with one line of JSON and closes it. Whoever connects at the socket for calls has them counted
 * from then on.
 */
final class CounterServer implements Runnable {
    static final String THREAD = "pacecar-counters";
    /** What the socket for calls is called beside the other. */
    static final String OF_CALLS = ".calls";

    private final ServerSocketChannel channel;
    private final ServerSocketChannel channelOfCalls;
    private final CallCounting calls;

    private CounterServer(ServerSocketChannel channel, ServerSocketChannel channelOfCalls, CallCounting calls) {
        this.channel = channel;
        this.channelOfCalls = channelOfCalls;
        this.calls = calls;
    }

    /**
     * Where this JVM answers when it is told {@code socket}. What it starts inherits its options, and may be a JVM as well:
     * so each adds its process id, as it sees it, and none takes the place of another.
     */
    static Path ofThisJvm(String socket) {
        return Path.of(socket + "." + ProcessHandle.current().pid());
    }

    /**
     * Takes possession of the socket at {@code path}, and of the one for calls beside it; what a dead JVM left there goes.
     * Whoever gets as far as their folder may connect: in a container the service often runs as another user than the one
     * who asks.
     *
     * @param calls what counts calls; null where none are counted
     * @throws IOException when that fails, for example because the path is too long for a socket
     */
    static CounterServer bind(Path path, CallCounting calls) throws IOException {
        ServerSocketChannel ofCalls = listening(path.resolveSibling(path.getFileName() + OF_CALLS));
        return new CounterServer(listening(path), ofCalls, calls);
    }

    private static ServerSocketChannel listening(Path path) throws IOException {
        Files.deleteIfExists(path);
        ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        channel.bind(UnixDomainSocketAddress.of(path));
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-rw-rw-"));
        channel.configureBlocking(false);
        return channel;
    }

    @Override
    public void run() {
        try (channel;
                channelOfCalls;
                Selector selector = Selector.open()) {
            // Made here and not in premain: it loads the management classes, which must not delay the service's start.
            Counters counters = new Counters(Allocation.ofThisJvm(), calls);
            if (calls != null) {
                calls.watchOwnAllocation();
            }
            channel.register(selector, SelectionKey.OP_ACCEPT);
            channelOfCalls.register(selector, SelectionKey.OP_ACCEPT);
            while (!Thread.interrupted()) {
                selector.select(counters.watchMillis());
                selector.selectedKeys().clear();
                counters.watch();
                answer(channel.accept(), counters);
                answerWithCalls(channelOfCalls.accept(), counters);
            }
        } catch (Throwable failure) {
            CounterAgent.giveUp(failure);
        }
    }

    private void answerWithCalls(SocketChannel connection, Counters counters) throws IOException {
        if (connection != null && calls != null) {
            calls.begin();
        }
        answer(connection, counters);
    }

    private static void answer(SocketChannel connection, Counters counters) throws IOException {
        if (connection == null) {
            return;
        }
        try (connection) {
            // Far smaller than a socket's buffer, so a reader that does not read cannot hold us up.
            connection.write(ByteBuffer.wrap((counters.json() + "\n").getBytes(StandardCharsets.US_ASCII)));
        } catch (IOException gone) {
            // The reader hung up before its answer: the next one gets a fresh one.
        }
    }
}
