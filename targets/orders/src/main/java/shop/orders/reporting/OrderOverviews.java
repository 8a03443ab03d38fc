package shop.orders.reporting;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import shop.orders.customers.Customer;

/** The list of orders, newest first, page by page: two queries a page, however many orders are on it. */
@Repository
class OrderOverviews {

    private static final int PAGE_SIZE = 50;

    private static final String ORDERS =
            """
            select o.id, o.placed_at, o.dispatch_at, o.status, o.note,
                   c.id as customer_id, c.name, c.email, c.level
            from (select * from orders order by id desc limit :size offset :skip) o
            join customers c on c.id = o.customer_id
            order by o.id desc
            """;

    private static final String TOTALS =
            """
            select order_id, count(*) as lines, sum(quantity) as pieces,
                   sum(list_cents) as list_cents, sum(net_cents) as net_cents, sum(gross_cents) as gross_cents
            from order_lines
            where order_id in (:orders)
            group by order_id
            """;

    private final JdbcClient jdbc;

    OrderOverviews(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /**
     * One page; empty beyond the last order. Pages count from 0.
     *
     * <p>An order that is retired between the two queries is left out.
     */
    List<OrderOverview> page(int page) {
        List<Header> headers = jdbc.sql(ORDERS)
                .param("size", PAGE_SIZE)
                .param("skip", (long) page * PAGE_SIZE)
                .query(OrderOverviews::header)
                .list();
        if (headers.isEmpty()) {
            return List.of();
        }
        Map<Long, OrderOverview.Totals> totals = totals(headers.stream().map(Header::id).toList());
        return headers.stream()
                .filter(header -> totals.containsKey(header.id()))
                .map(header -> header.with(totals.get(header.id())))
                .toList();
    }

    private Map<Long, OrderOverview.Totals> totals(List<Long> orders) {
        var totals = new HashMap<Long, OrderOverview.Totals>();
        jdbc.sql(TOTALS).param("orders", orders).query(row -> {
            totals.put(row.getLong("order_id"), totalsOf(row));
        });
        return totals;
    }

    private static Header header(ResultSet row, int number) throws SQLException {
        var customer = new Customer(
                row.getInt("customer_id"), row.getString("name"), row.getString("email"), row.getString("level"));
        return new Header(
                row.getLong("id"),
                customer,
                row.getObject("placed_at", OffsetDateTime.class).toInstant(),
                row.getObject("dispatch_at", OffsetDateTime.class).toInstant(),
                row.getString("status"),
                row.getString("note"));
    }

    private static OrderOverview.Totals totalsOf(ResultSet row) throws SQLException {
        return new OrderOverview.Totals(
                row.getInt("lines"),
                row.getInt("pieces"),
                row.getLong("list_cents"),
                row.getLong("net_cents"),
                row.getLong("gross_cents"));
    }

    private record Header(
            long id, Customer customer, Instant placedAt, Instant dispatchAt, String status, String note) {

        OrderOverview with(OrderOverview.Totals totals) {
            return new OrderOverview(id, customer, placedAt, dispatchAt, status, note, totals);
        }
    }
}
