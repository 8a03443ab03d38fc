package shop.orders.sampledata;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/**
 * Fills the empty tables before the service is ready; every start gives the same rows.
 *
 * <p>Orders come in two kinds: the history, which stays, and as many recent ones as the service keeps, which make way
 * for new ones. So the tables are as large before the first new order as after the thousandth.
 */
@Component
class SampleData implements ApplicationRunner {

    private static final long SEED = 20_250_101;
    private static final int PRODUCTS = 200;
    private static final int CUSTOMERS = 500;
    private static final int LINES_OF_RECENT = 3;
    private static final Instant FIRST_ORDER = Instant.parse("2024-01-01T06:00:00Z");
    private static final Duration BETWEEN_ORDERS = Duration.ofMinutes(237);

    private final JdbcTemplate jdbc;
    private final int history;
    private final int recent;
    private final SplittableRandom random = new SplittableRandom(SEED);

    SampleData(
            JdbcTemplate jdbc,
            @Value("${orders.history}") int history,
            @Value("${orders.recent}") int recent) {
        this.jdbc = jdbc;
        this.history = history;
        this.recent = recent;
    }

    @Override
    @Transactional
    public void run(ApplicationArguments arguments) {
        long[] prices = products();
        customers();
        orders(prices);
    }

    private long[] products() {
        var prices = new long[PRODUCTS + 1];
        var rows = new ArrayList<Object[]>();
        for (int id = 1; id <= PRODUCTS; id++) {
            prices[id] = 250 + random.nextInt(20_000);
            rows.add(new Object[] {id, Names.product(id), Names.category(id), prices[id]});
        }
        jdbc.batchUpdate("insert into products (id, name, category, list_price_cents) values (?, ?, ?, ?)", rows);
        return prices;
    }

    private void customers() {
        var rows = new ArrayList<Object[]>();
        for (int id = 1; id <= CUSTOMERS; id++) {
            rows.add(new Object[] {id, Names.customer(id), Names.email(id), Names.level(id)});
        }
        jdbc.batchUpdate("insert into customers (id, name, email, level) values (?, ?, ?, ?)", rows);
    }

    private void orders(long[] prices) {
        var orders = new ArrayList<Object[]>();
        var lines = new ArrayList<Object[]>();
        for (int id = 1; id <= history + recent; id++) {
            Instant placedAt = FIRST_ORDER.plus(BETWEEN_ORDERS.multipliedBy(id));
            orders.add(new Object[] {
                id,
                1 + id % CUSTOMERS,
                placedAt.atOffset(ZoneOffset.UTC),
                placedAt.plus(Duration.ofHours(20)).atOffset(ZoneOffset.UTC),
                "confirmed",
                Names.note(id)
            });
            lines.addAll(lines(id, id <= history ? 8 + id % 9 : LINES_OF_RECENT, prices));
        }
        jdbc.batchUpdate(
                "insert into orders (id, customer_id, placed_at, dispatch_at, status, note) values (?, ?, ?, ?, ?, ?)",
                orders);
        jdbc.batchUpdate(
                "insert into order_lines (order_id, position, product_id, quantity, list_cents, net_cents, gross_cents)"
                        + " values (?, ?, ?, ?, ?, ?, ?)",
                lines);
    }

    private List<Object[]> lines(int order, int count, long[] prices) {
        var lines = new ArrayList<Object[]>();
        for (int position = 1; position <= count; position++) {
            int product = 1 + random.nextInt(PRODUCTS);
            int quantity = 1 + random.nextInt(60);
            long list = prices[product] * quantity;
            long net = list - list * random.nextInt(30) / 100;
            lines.add(new Object[] {order, position, product, quantity, list, net, net + net * 19 / 100});
        }
        return lines;
    }
}
