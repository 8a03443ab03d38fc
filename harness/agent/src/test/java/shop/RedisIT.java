package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.output.ValueOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.redisson.Redisson;
import org.redisson.api.RBatch;
import org.redisson.api.RBucket;
import org.redisson.api.RFuture;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import reactor.core.publisher.Flux;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.JedisPoolConfig;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Response;

/** Each command counts once, however it is sent; what opens and checks a connection does not. */
@ExtendWith(Counted.class)
class RedisIT {
    private SmallRedis redis;
    private List<Long> before;

    @BeforeEach
    void serve() throws IOException {
        redis = new SmallRedis();
        before = Told.unknown();
    }

    @AfterEach
    void end() throws IOException {
        redis.close();
    }

    /** As many commands as the server was sent beside those of the connection, all of them by this method. */
    private void assertCounted(long commands, String method) throws IOException {
        assertEquals(List.of(commands, 0L, 0L), Told.counts(RedisIT.class, method));
        assertEquals(before, Told.unknown());
        List<String> upkeep = List.of("AUTH", "CLIENT", "HELLO", "INFO", "PING", "SELECT");
        List<String> seen = redis.seen();
        assertTrue(seen.stream().anyMatch(upkeep::contains), seen.toString());
        assertEquals(
                commands, seen.stream().filter(each -> !upkeep.contains(each)).count(), seen.toString());
    }

    @Test
    void jedisCountsPipelinesTooAndNoCheckOfItsPool() throws Exception {
        JedisPoolConfig checked = new JedisPoolConfig();
        checked.setTestOnBorrow(true);
        checked.setTestOnReturn(true);
        DefaultJedisClientConfig client = DefaultJedisClientConfig.builder()
                .clientName("shop")
                .password("secret")
                .database(1)
                .build();
        try (JedisPool pool = new JedisPool(checked, new HostAndPort("127.0.0.1", redis.port()), client)) {
            for (int i = 0; i < 2; i++) {
                try (Jedis jedis = pool.getResource()) {
                    assertEquals("OK", jedis.set("a", "1"));
                    assertEquals("1", jedis.get("a"));
                }
            }
            try (Jedis jedis = pool.getResource()) {
                Pipeline pipeline = jedis.pipelined();
                Response<String> first = pipeline.get("a");
                Response<String> second = pipeline.get("b");
                pipeline.sync();
                assertEquals("1", first.get());
                assertEquals(null, second.get());
            }
        }
        assertTrue(redis.seen().contains("PING"));
        assertCounted(6, "jedisCountsPipelinesTooAndNoCheckOfItsPool");
    }

    @Test
    void lettuceCountsWhateverItIsAskedBy() throws Exception {
        RedisURI address = RedisURI.create(redis.address());
        address.setClientName("shop");
        address.setDatabase(1);
        RedisClient client = RedisClient.create(address);
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            assertEquals("PONG", connection.sync().ping());
            assertEquals("OK", connection.sync().set("a", "1"));
            assertEquals("1", connection.sync().get("a"));

            connection.setAutoFlushCommands(false);
            RedisFuture<String> first = connection.async().get("a");
            RedisFuture<String> second = connection.async().get("b");
            connection.flushCommands();
            assertEquals("1", first.get());
            assertEquals(null, second.get());
            connection.setAutoFlushCommands(true);

            assertEquals(
                    1L,
                    Flux.just("a", "b")
                            .flatMap(connection.reactive()::get)
                            .count()
                            .block());
            List<AsyncCommand<String, String, String>> together = setAndGet();
            connection.dispatch(together);
            assertEquals("2", together.get(1).get());
        } finally {
            client.shutdown();
        }
        assertCounted(8, "lettuceCountsWhateverItIsAskedBy");
    }

    /** To go out in one write, as interfaces with batches send them. */
    private static List<AsyncCommand<String, String, String>> setAndGet() {
        StringCodec codec = StringCodec.UTF8;
        CommandArgs<String, String> two = new CommandArgs<>(codec).addKey("b").addValue("2");
        CommandArgs<String, String> key = new CommandArgs<>(codec).addKey("b");
        return List.of(
                new AsyncCommand<>(new Command<>(CommandType.SET, new StatusOutput<>(codec), two)),
                new AsyncCommand<>(new Command<>(CommandType.GET, new ValueOutput<>(codec), key)));
    }

    @Test
    void redissonCountsItsBatchesToo() throws Exception {
        Config config = new Config();
        config.useSingleServer()
                .setAddress(redis.address())
                .setConnectionMinimumIdleSize(1)
                .setConnectionPoolSize(1)
                .setSubscriptionConnectionMinimumIdleSize(0);
        RedissonClient client = Redisson.create(config);
        try {
            RBucket<String> bucket = client.getBucket("a", org.redisson.client.codec.StringCodec.INSTANCE);
            bucket.set("1");
            assertEquals("1", bucket.getAsync().get());
            RBatch batch = client.createBatch();
            RFuture<Object> first = batch.getBucket("a", org.redisson.client.codec.StringCodec.INSTANCE)
                    .getAsync();
            RFuture<Object> second = batch.getBucket("b", org.redisson.client.codec.StringCodec.INSTANCE)
                    .getAsync();
            batch.execute();
            assertEquals("1", first.get());
            assertEquals(null, second.get());
        } finally {
            client.shutdown();
        }
        assertCounted(4, "redissonCountsItsBatchesToo");
    }

    @Test
    void vertxsClientCountsItsBatchesToo() throws Exception {
        Vertx vertx = Vertx.vertx();
        try {
            RedisConnection connection =
                    got(Redis.createClient(vertx, redis.address()).connect());
            got(connection.send(
                    Request.cmd(io.vertx.redis.client.Command.SET).arg("a").arg("1")));
            Request get = Request.cmd(io.vertx.redis.client.Command.GET).arg("a");
            assertEquals("1", got(connection.send(get)).toString());
            assertEquals(2, got(connection.batch(Collections.nCopies(2, get))).size());
        } finally {
            got(vertx.close());
        }
        assertCounted(4, "vertxsClientCountsItsBatchesToo");
    }

    private static <T> T got(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get();
    }
}
