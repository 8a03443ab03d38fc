package dev.pacecar.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CounterServerTest {
    private static final String LINE =
            "\\{\"uptimeMs\":\\d+,\"allocatedBytes\":\\d+,\"allocationSource\":\"(total|threads)\","
                    + "\"threads\":\\d+,\"threadsEnded\":\\d+,\"jitMs\":\\d+,\"gcCount\":\\d+,\"gcMs\":\\d+,"
                    + "\"heapUsedBytes\":\\d+,\"heapAfterGcBytes\":\\d+,\"loadedClasses\":\\d+}\n";

    @TempDir
    Path folder;

    private static SocketChannel connect(Path socket) throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        channel.connect(UnixDomainSocketAddress.of(socket));
        return channel;
    }

    private static String read(Path socket) throws IOException {
        try (SocketChannel channel = connect(socket)) {
            return new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    @Test
    void answersEveryConnectionWithOneLine() throws Exception {
        Path socket = Files.writeString(folder.resolve("counters"), "left by a JVM that died");
        Thread server = new Thread(CounterServer.bind(socket, null), CounterServer.THREAD);
        server.start();
        try {
            assertEquals("rw-rw-rw-", PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)));
            for (int i = 0; i < 3; i++) {
                connect(socket).close(); // hangs up before its answer
                String line = read(socket);
                assertTrue(line.matches(LINE), line);
                String withCalls = read(folder.resolve("counters.calls"));
                assertTrue(withCalls.matches(LINE), "nobody counts any: " + withCalls);
            }
        } finally {
            server.interrupt();
            server.join();
        }
        assertThrows(IOException.class, () -> read(socket));
    }

    @Test
    void eachJvmAnswersOnASocketOfItsOwn() throws Exception {
        Path told = folder.resolve("counters");
        CounterAgent.premain(told.toString(), null);
        String line = read(folder.resolve("counters." + ProcessHandle.current().pid()));
        assertTrue(line.matches(LINE), line);
        assertFalse(Files.exists(told));
    }

    @Test
    void aSocketThatCannotBeDoesNotHarmTheService() {
        Path impossible = folder.resolve("no such folder").resolve("counters");
        CounterAgent.premain(impossible.toString(), null);
        CounterAgent.premain(null, null);
        assertFalse(Files.exists(impossible.getParent()));
    }
}
