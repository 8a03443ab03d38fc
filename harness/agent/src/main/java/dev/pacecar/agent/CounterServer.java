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

/** Answers every connection with one line of JSON and closes it. */
final class CounterServer implements Runnable {
    static final String THREAD = "pacecar-counters";

    private final ServerSocketChannel channel;
    private final CallCounting calls;

    private CounterServer(ServerSocketChannel channel, CallCounting calls) {
        this.channel = channel;
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
     * Takes possession of the socket at {@code path}; what a dead JVM left there goes. Whoever gets as far as its folder
     * may connect: in a container the service often runs as another user than the one who asks.
     *
     * @param calls what counts calls; null where none are counted
     * @throws IOException when that fails, for example because the path is too long for a socket
     */
    static CounterServer bind(Path path, CallCounting calls) throws IOException {
        Files.deleteIfExists(path);
        ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        channel.bind(UnixDomainSocketAddress.of(path));
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-rw-rw-"));
        channel.configureBlocking(false);
        return new CounterServer(channel, calls);
    }

    @Override
    public void run() {
        try (channel;
                Selector selector = Selector.open()) {
            // Made here and not in premain: it loads the management classes, which must not delay the service's start.
            Counters counters = new Counters(Allocation.ofThisJvm(), calls);
            if (calls != null) {
                calls.watchOwnAllocation();
            }
            channel.register(selector, SelectionKey.OP_ACCEPT);
            while (!Thread.interrupted()) {
                selector.select(counters.watchMillis());
                selector.selectedKeys().clear();
                counters.watch();
                answer(counters);
            }
        } catch (Throwable failure) {
            CounterAgent.giveUp(failure);
        }
    }

    private void answer(Counters counters) throws IOException {
        SocketChannel connection = channel.accept();
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
