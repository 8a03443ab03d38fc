package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.simulacron.common.cluster.ClusterSpec;
import com.datastax.oss.simulacron.server.BoundCluster;
import com.datastax.oss.simulacron.server.BoundNode;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.sun.net.httpserver.HttpServer;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.r2dbc.spi.Connection;
import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.Result;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.asynchttpclient.AsyncHttpClient;
import org.asynchttpclient.Dsl;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;

/** Clients that are asked on one thread and send on another: each request counts once, and by who asked for it. */
@ExtendWith(Counted.class)
class ClientsIT {
    private static HttpServer server;
    private static URI address;

    @BeforeAll
    static void serve() throws IOException {
        server = Answering.started();
        address = Answering.at(server);
    }

    @AfterAll
    static void end() {
        server.stop(0);
    }

    private static List<Long> counts(String method) throws IOException {
        return Told.counts(ClientsIT.class, method);
    }

    @Test
    void reactorsClientCountsWhenItIsSubscribedTo() throws Exception {
        List<Long> before = Told.unknown();
        Mono<String> asked = HttpClient.create()
                .followRedirect(true)
                .get()
                .uri(address.resolve("/moved").toString())
                .responseContent()
                .aggregate()
                .asString();
        assertEquals(List.of(), counts("reactorsClientCountsWhenItIsSubscribedTo"));
        assertEquals("answer", asked.block());
        assertEquals("answer", asked.block());
        assertEquals(List.of(0L, 0L, 2L), counts("reactorsClientCountsWhenItIsSubscribedTo"));
        assertEquals(before, Told.unknown());
    }

    @Test
    void vertxsClientCounts() throws Exception {
        List<Long> before = Told.unknown();
        Vertx vertx = Vertx.vertx();
        try {
            int status = vertx.createHttpClient()
                    .request(HttpMethod.GET, address.getPort(), address.getHost(), "/")
                    .compose(HttpClientRequest::send)
                    .map(HttpClientResponse::statusCode)
                    .toCompletionStage()
                    .toCompletableFuture()
                    .get();
            assertEquals(200, status);
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().get();
        }
        assertEquals(List.of(0L, 0L, 1L), counts("vertxsClientCounts"));
        assertEquals(before, Told.unknown());
    }

    @Test
    void jettysClientCounts() throws Exception {
        List<Long> before = Told.unknown();
        org.eclipse.jetty.client.HttpClient client = new org.eclipse.jetty.client.HttpClient();
        client.start();
        assertEquals("answer", client.GET(address).getContentAsString());
        client.stop();
        assertEquals(List.of(0L, 0L, 1L), counts("jettysClientCounts"));
        assertEquals(before, Told.unknown());
    }

    @Test
    void asyncHttpClientCounts() throws Exception {
        List<Long> before = Told.unknown();
        try (AsyncHttpClient client = Dsl.asyncHttpClient()) {
            assertEquals(
                    "answer",
                    client.prepareGet(address.toString()).execute().get().getResponseBody());
        }
        assertEquals(List.of(0L, 0L, 1L), counts("asyncHttpClientCounts"));
        assertEquals(before, Told.unknown());
    }

    @Test
    void grpcsCallsCount() throws Exception {
        List<Long> before = Told.unknown();
        MethodDescriptor<String, String> greet = MethodDescriptor.<String, String>newBuilder(new Texts(), new Texts())
                .setType(MethodDescriptor.MethodType.UNARY)
                .setFullMethodName("shop.Greeter/Greet")
                .build();
        Server greeter = InProcessServerBuilder.forName("greeter")
                .addService(ServerServiceDefinition.builder("shop.Greeter")
                        .addMethod(greet, ServerCalls.asyncUnaryCall((name, answer) -> {
                            answer.onNext("hello " + name);
                            answer.onCompleted();
                        }))
                        .build())
                .build()
                .start();
        ManagedChannel channel = InProcessChannelBuilder.forName("greeter").build();
        try {
            assertEquals("hello you", ClientCalls.blockingUnaryCall(channel, greet, CallOptions.DEFAULT, "you"));
        } finally {
            channel.shutdownNow();
            greeter.shutdownNow();
        }
        assertEquals(List.of(0L, 0L, 1L), counts("grpcsCallsCount"));
        assertEquals(before, Told.unknown());
    }

    private static final class Texts implements MethodDescriptor.Marshaller<String> {
        @Override
        public InputStream stream(String value) {
            return new ByteArrayInputStream(value.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public String parse(InputStream stream) {
            try {
                return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }
    }

    @Test
    void reactiveStatementsAndBatchesCountOnce() throws Exception {
        List<Long> before = Told.unknown();
        Connection connection = Mono.from(
                        ConnectionFactories.get("r2dbc:h2:mem:///reactive").create())
                .block();
        assertEquals(1, asked(connection.createStatement("select 1").execute()));
        assertEquals(
                2,
                asked(connection.createBatch().add("select 1").add("select 2").execute()));
        Mono.from(connection.close()).block();
        assertEquals(List.of(2L, 0L, 0L), counts("reactiveStatementsAndBatchesCountOnce"));
        assertEquals(before, Told.unknown());
    }

    private static long asked(Publisher<? extends Result> results) {
        return Flux.from(results)
                .flatMap(result -> result.map((row, columns) -> row.get(0)))
                .count()
                .block();
    }

    @Test
    void commandsOfMongoCountAndItsHeartbeatsDoNot() throws Exception {
        MongoServer mongo = new MongoServer(new MemoryBackend());
        try (MongoClient client = MongoClients.create(mongo.bindAndGetConnectionString())) {
            List<Long> before = Told.unknown();
            MongoCollection<Document> orders = client.getDatabase("shop").getCollection("orders");
            orders.insertMany(List.of(new Document("_id", 1), new Document("_id", 2)));
            assertEquals(2, orders.find(new Document("_id", 2)).first().get("_id"));
            assertEquals(List.of(2L, 0L, 0L), counts("commandsOfMongoCountAndItsHeartbeatsDoNot"));
            assertEquals(before, Told.unknown());
        } finally {
            mongo.shutdownNow();
        }
    }

    @Test
    void requestsOfCassandrasDriverCount() throws Exception {
        try (com.datastax.oss.simulacron.server.Server cassandra =
                        com.datastax.oss.simulacron.server.Server.builder().build();
                BoundCluster cluster =
                        cassandra.register(ClusterSpec.builder().withNodes(1).build())) {
            BoundNode node = cluster.node(0);
            List<Long> before = Told.unknown();
            try (CqlSession session = CqlSession.builder()
                    .addContactPoint((InetSocketAddress) node.getAddress())
                    .withLocalDatacenter(node.getDataCenter().getName())
                    .build()) {
                session.execute("select * from shop.orders");
                session.executeAsync("select * from shop.lines")
                        .toCompletableFuture()
                        .get();
            }
            assertEquals(List.of(2L, 0L, 0L), counts("requestsOfCassandrasDriverCount"));
            assertEquals(before, Told.unknown());
        }
    }
}
