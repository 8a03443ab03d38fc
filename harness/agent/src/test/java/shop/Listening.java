package shop;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** A port of this machine behind which each connection has a thread of its own. */
final class Listening implements AutoCloseable {
    /** Serves one connection until it breaks off. */
    interface Conversation {
        void with(DataInputStream in, DataOutputStream out) throws IOException;
    }

    private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final Conversation conversation;

    Listening(Conversation conversation) throws IOException {
        this.conversation = conversation;
        daemon(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    @Override
    public void close() throws IOException {
        server.close();
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket client = server.accept();
                daemon(() -> serve(client));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void serve(Socket client) {
        try (client) {
            conversation.with(
                    new DataInputStream(new BufferedInputStream(client.getInputStream())),
                    new DataOutputStream(client.getOutputStream()));
        } catch (IOException gone) {
            // A client that has closed its connection.
        }
    }
}
