package shop.orders.ordering;

import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Transactional;

/**
 * Orders in the relational store.
 *
 * <p>Keeps the history it was started with, and of the orders placed since then only the latest few hundred: however
 * long the service runs, its tables, and with them the time of a query, stay the same size.
 */
@Repository
public class OrderStore {

    private static final String SELECT =
            """
            select o.id, o.customer_id, o.placed_at, o.dispatch_at, o.status, o.note,
                   l.position, l.quantity, l.list_cents, l.net_cents, l.gross_cents,
                   p.id as product_id, p.name, p.category, p.list_price_cents
            from orders o
            join order_lines l on l.order_id = o.id
            join products p on p.id = l.product_id
            """;

    private final JdbcClient jdbc;
    private final JdbcTemplate batches;
    private final long lastOfHistory;
    private final int recentOrders;

    OrderStore(
            JdbcClient jdbc,
            JdbcTemplate batches,
            @Value("${orders.history}") long lastOfHistory,
            @Value("${orders.recent}") int recentOrders) {
        this.jdbc = jdbc;
        this.batches = batches;
        this.lastOfHistory = lastOfHistory;
        this.recentOrders = recentOrders;
    }

    public Optional<Order> find(long id) {
        return jdbc.sql(SELECT + "where o.id = :id order by l.position")
                .param("id", id)
                .query(new OrderRows())
                .stream()
                .findFirst();
    }

    /** The latest {@code limit} orders of a customer, newest first. */
    public List<Order> ofCustomer(int customer, int limit) {
        return jdbc.sql(
                        SELECT
                                + """
                                where o.id in (
                                    select id from orders where customer_id = :customer order by id desc limit :limit)
                                order by o.id desc, l.position
                                """)
                .param("customer", customer)
                .param("limit", limit)
                .query(new OrderRows());
    }

    /** Stores a new order under a number of its own, which it returns, and retires the oldest recent one. */
    @Transactional
    public long add(Order order) {
        var key = new GeneratedKeyHolder();
        jdbc.sql(
                        """
                        insert into orders (customer_id, placed_at, dispatch_at, status, note)
                        values (:customer, :placedAt, :dispatchAt, :status, :note)
                        """)
                .param("customer", order.customer())
                .param("placedAt", order.placedAt().atOffset(ZoneOffset.UTC))
                .param("dispatchAt", order.dispatchAt().atOffset(ZoneOffset.UTC))
                .param("status", order.status())
                .param("note", order.note())
                .update(key, "id");
        long id = key.getKeyAs(Long.class);
        addLines(id, order.lines());
        retire(id - recentOrders);
        return id;
    }

    public void setStatus(long id, String status) {
        jdbc.sql("update orders set status = :status where id = :id")
                .param("status", status)
                .param("id", id)
                .update();
    }

    private void addLines(long order, List<OrderLine> lines) {
        batches.batchUpdate(
                "insert into order_lines (order_id, position, product_id, quantity, list_cents, net_cents, gross_cents)"
                        + " values (?, ?, ?, ?, ?, ?, ?)",
                lines,
                lines.size(),
                (row, line) -> {
                    row.setLong(1, order);
                    row.setInt(2, line.position());
                    row.setInt(3, line.product().id());
                    row.setInt(4, line.quantity());
                    row.setLong(5, line.listCents());
                    row.setLong(6, line.netCents());
                    row.setLong(7, line.grossCents());
                });
    }

    private void retire(long newest) {
        jdbc.sql("delete from orders where id > :history and id <= :newest")
                .param("history", lastOfHistory)
                .param("newest", newest)
                .update();
    }
}
