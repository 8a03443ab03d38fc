package bank.ledgerdb.web;

import bank.ledgerdb.store.Store;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpServerKeepAliveHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetSocketAddress;

/** The HTTP server, and what it serves. */
public final class Service {

    private static final String HOST = "127.0.0.1";
    private static final int LARGEST_BODY = 4_096;

    private final EventLoopGroup io;
    private final Channel listening;
    private final Requests requests;
    private final Store store;

    private Service(EventLoopGroup io, Channel listening, Requests requests, Store store) {
        this.io = io;
        this.listening = listening;
        this.requests = requests;
        this.store = store;
    }

    /** Listens on `port` of the loopback interface; 0 is any that is free. */
    public static Service start(int port) throws IOException, InterruptedException {
        var store = Store.open();
        var requests = new Requests(store, new Metrics());
        var io = new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("ledger-io"), NioIoHandler.newFactory());
        var server = new ServerBootstrap()
                .group(io)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline()
                                .addLast(new HttpServerCodec())
                                .addLast(new HttpServerKeepAliveHandler())
                                .addLast(new HttpObjectAggregator(LARGEST_BODY))
                                .addLast(requests);
                    }
                });
        return new Service(io, server.bind(HOST, port).sync().channel(), requests, store);
    }

    public int port() {
        return ((InetSocketAddress) listening.localAddress()).getPort();
    }

    public void stop() {
        listening.close().awaitUninterruptibly();
        io.shutdownGracefully().awaitUninterruptibly();
        requests.stop();
        try {
            store.close();
        } catch (IOException atTheEnd) {
            System.err.println("the store's files cannot be deleted: " + atTheEnd);
        }
    }
}
