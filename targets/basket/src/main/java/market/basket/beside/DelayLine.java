package market.basket.beside;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * A network between the service and its database: what is sent there arrives a millisecond later.
 *
 * <p>Answers come back at once, so a round trip takes a millisecond more. Each connection has two threads, one for each
 * direction.
 */
public final class DelayLine implements AutoCloseable {

    private static final long DELAY_MS = 1;
    private static final int AT_ONCE = 64 * 1024;

    private final ServerSocket entrance;
    private final int target;

    private DelayLine(ServerSocket entrance, int target) {
        this.entrance = entrance;
        this.target = target;
    }

    public static void main(String[] args) throws IOException {
        var line = start(Integer.parseInt(args[0]), Integer.parseInt(args[1]));
        System.out.println("listening on 127.0.0.1:" + line.port());
    }

    /** From `port` of the loopback interface, or any that is free if it is 0, to its port `target`. */
    public static DelayLine start(int port, int target) throws IOException {
        var line = new DelayLine(new ServerSocket(port, 50, InetAddress.getLoopbackAddress()), target);
        new Thread(line::accept, "accept").start();
        return line;
    }

    public int port() {
        return entrance.getLocalPort();
    }

    @Override
    public void close() throws IOException {
        entrance.close();
    }

    private void accept() {
        while (!entrance.isClosed()) {
            try {
                connect(entrance.accept());
            } catch (IOException failed) {
                if (!entrance.isClosed()) {
                    throw new UncheckedIOException(failed);
                }
            }
        }
    }

    // Both sockets are closed by the threads that read them.
    @SuppressWarnings("resource")
    private void connect(Socket client) throws IOException {
        Socket server;
        try {
            server = new Socket(InetAddress.getLoopbackAddress(), target);
        } catch (IOException nobodyThere) {
            client.close();
            return;
        }
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        new Thread(() -> forward(client, server, DELAY_MS), "there").start();
        new Thread(() -> forward(server, client, 0), "back").start();
    }

    /** Until either end closes its socket; then both are. */
    private static void forward(Socket from, Socket to, long delay) {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] bytes = new byte[AT_ONCE];
            for (int count = in.read(bytes); count >= 0; count = in.read(bytes)) {
                Thread.sleep(delay);
                out.write(bytes, 0, count);
            }
        } catch (IOException closed) {
            // By the other direction, or by one of those that it connects.
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }
}
