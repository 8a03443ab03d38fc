package shop.orders.reporting;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import shop.orders.customers.Customer;

/**
 * The list of orders, newest first, page by page.
 *
 * <p>A page is read in one statement, so that an order that is retired at that moment is on it whole or not at all.
 */
@Repository
class OrderOverviews {

    private static final int PAGE_SIZE = 50;

    private static final String PAGE =
            """
            select o.id, o.placed_at, o.dispatch_at, o.status, o.note,
                   c.id as customer_id, c.name, c.email, c.level,
                   t.lines, t.pieces, t.list_cents, t.net_cents, t.gross_cents
            from (select * from orders order by id desc limit :size offset :skip) o
            join customers c on c.id = o.customer_id
            join (
                select order_id, count(*) as lines, sum(quantity) as pieces,
                       sum(list_cents) as list_cents, sum(net_cents) as net_cents, sum(gross_cents) as gross_cents
                from order_lines
                where order_id in (select id from orders order by id desc limit :size offset :skip)
                group by order_id
            ) t on t.order_id = o.id
            order by o.id desc
            """;

    private final JdbcClient jdbc;

    OrderOverviews(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** One page; empty beyond the last order. Pages count from 0. */
    List<OrderOverview> page(int page) {
        return jdbc.sql(PAGE)
                .param("size", PAGE_SIZE)
                .param("skip", (long) page * PAGE_SIZE)
                .query(OrderOverviews::overview)
                .list();
    }

    private static OrderOverview overview(ResultSet row, int number) throws SQLException {
        var customer = new Customer(
                row.getInt("customer_id"), row.getString("name"), row.getString("email"), row.getString("level"));
        return new OrderOverview(
                row.getLong("id"),
                customer,
                instant(row, "placed_at"),
                instant(row, "dispatch_at"),
                row.getString("status"),
                row.getString("note"),
                totals(row));
    }

    private static OrderOverview.Totals totals(ResultSet row) throws SQLException {
        return new OrderOverview.Totals(
                row.getInt("lines"),
                row.getInt("pieces"),
                row.getLong("list_cents"),
                row.getLong("net_cents"),
                row.getLong("gross_cents"));
    }

    private static Instant instant(ResultSet row, String column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }
}
