package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import com.sun.net.httpserver.HttpServer;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A small application under the agent as it is packaged: real drivers, pools and clients, a real server. */
@ExtendWith(Counted.class)
class CallsIT {
    private static final Pattern ALLOCATED = Pattern.compile("\"allocatedBytes\":(\\d+)");

    private static HttpServer server;
    private static URI address;
    private static HikariDataSource pool;

    @BeforeAll
    static void serve() throws IOException {
        server = Answering.started();
        address = Answering.at(server);
        pool = new HikariDataSource();
        pool.setJdbcUrl("jdbc:h2:mem:orders");
    }

    @AfterAll
    static void end() {
        pool.close();
        server.stop(0);
    }

    private static List<Long> counts(String method) throws IOException {
        return Told.counts(CallsIT.class, method);
    }

    @Test
    void statementsThroughAPoolCountOnce() throws Exception {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("create table pooled (id int primary key)");
            try (PreparedStatement insert = connection.prepareStatement("insert into pooled values (?)")) {
                for (int id = 0; id < 5; id++) {
                    insert.setInt(1, id);
                    insert.addBatch();
                }
                insert.executeBatch();
                insert.executeBatch(); // of nothing
            }
            statement.executeQuery("select * from pooled").close();
        }
        assertEquals(List.of(3L, 5L, 0L), counts("statementsThroughAPoolCountOnce"));
    }

    @Test
    void eachOfTheJdksClientsCountsWhatItSends() throws Exception {
        HttpClient client = HttpClient.newHttpClient();
        HttpRequest request = HttpRequest.newBuilder(address).build();
        assertEquals("answer", client.send(request, BodyHandlers.ofString()).body());
        assertEquals(List.of(0L, 0L, 1L), counts("eachOfTheJdksClientsCountsWhatItSends"));
        CompletableFuture<?> first = client.sendAsync(request, BodyHandlers.ofString());
        CompletableFuture<?> second = client.sendAsync(request, BodyHandlers.ofString());
        CompletableFuture.allOf(first, second).join();
        assertEquals(List.of(0L, 0L, 3L), counts("eachOfTheJdksClientsCountsWhatItSends"));

        HttpURLConnection connection = (HttpURLConnection) address.toURL().openConnection();
        assertEquals(200, connection.getResponseCode());
        assertEquals(6, connection.getInputStream().readAllBytes().length);
        assertEquals(List.of(0L, 0L, 4L), counts("eachOfTheJdksClientsCountsWhatItSends"));
        HttpURLConnection moved =
                (HttpURLConnection) address.resolve("/moved").toURL().openConnection();
        assertEquals(200, moved.getResponseCode());
        assertEquals(List.of(0L, 0L, 6L), counts("eachOfTheJdksClientsCountsWhatItSends"));
    }

    @Test
    void apachesClientCountsOnceAndWhatItsHandlerAsksTheDatabaseToo() throws Exception {
        try (CloseableHttpClient client = HttpClients.createDefault();
                Connection connection = pool.getConnection()) {
            String body = client.execute(new HttpGet(address), response -> {
                asked(connection);
                return new String(response.getEntity().getContent().readAllBytes(), StandardCharsets.US_ASCII);
            });
            assertEquals("answer", body);
        }
        assertEquals(List.of(0L, 0L, 1L), counts("apachesClientCountsOnceAndWhatItsHandlerAsksTheDatabaseToo"));
        assertEquals(List.of(1L, 0L, 0L), counts("asked"));
    }

    private static void asked(Connection connection) {
        try (Statement statement = connection.createStatement()) {
            statement.execute("select 1");
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    @Test
    void okHttpCountsAtOnceAndLater() throws Exception {
        OkHttpClient client = new OkHttpClient();
        Request request = new Request.Builder().url(address.toString()).build();
        try (Response response = client.newCall(request).execute()) {
            assertEquals(200, response.code());
        }
        CountDownLatch answered = new CountDownLatch(1);
        client.newCall(request).enqueue(new Callback() {
            @Override
            public void onFailure(Call call, IOException failure) {
                answered.countDown();
            }

            @Override
            public void onResponse(Call call, Response response) {
                response.close();
                answered.countDown();
            }
        });
        answered.await();
        client.dispatcher().executorService().shutdown();
        assertEquals(List.of(0L, 0L, 2L), counts("okHttpCountsAtOnceAndLater"));
    }

    @Test
    void lookingForCallersIsNotTheServicesAllocation() throws Exception {
        try (Connection connection = pool.getConnection();
                PreparedStatement statement = connection.prepareStatement("select 1")) {
            for (int i = 0; i < 20_000; i++) { // until all of it is compiled
                once(statement);
            }
            long before = allocated(Told.all());
            long withLooking = onThisThread();
            for (int i = 0; i < 10_000; i++) {
                once(statement);
            }
            withLooking = onThisThread() - withLooking;
            long without = allocated(Told.all()) - before;
            // A walk to the caller takes some hundred bytes. What other threads allocate meanwhile is far less than all
            // of them.
            assertTrue(withLooking - without > 10_000 * 100, without + " bytes of " + withLooking);
        }
        assertEquals(List.of(30_000L, 0L, 0L), counts("once"));
    }

    private static void once(PreparedStatement statement) throws SQLException {
        statement.executeQuery().close();
    }

    private static long onThisThread() {
        return ManagementFactory.getPlatformMXBean(ThreadMXBean.class)
                .getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    private static long allocated(String told) {
        Matcher found = ALLOCATED.matcher(told);
        assertTrue(found.find());
        return Long.parseLong(found.group(1));
    }

    @Test
    void theServiceIsRefusedWhatItAlwaysWas() {
        Module own = getClass().getModule();
        assertFalse(Object.class.getModule().isOpen("java.lang", own));
        assertEquals("java.base", Class.class.getModule().getName());
    }
}
