package shop.orders.ordering;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import org.springframework.jdbc.core.ResultSetExtractor;
import shop.orders.catalogue.Product;

/** Rows of lines, those of one order next to each other, to whole orders. */
class OrderRows implements ResultSetExtractor<List<Order>> {

    @Override
    public List<Order> extractData(ResultSet rows) throws SQLException {
        var orders = new ArrayList<Order>();
        Order current = null;
        while (rows.next()) {
            if (current == null || current.id() != rows.getLong("id")) {
                current = orderWithoutLines(rows);
                orders.add(current);
            }
            current.lines().add(line(rows));
        }
        return orders;
    }

    private static Order orderWithoutLines(ResultSet row) throws SQLException {
        return new Order(
                row.getLong("id"),
                row.getInt("customer_id"),
                instant(row, "placed_at"),
                instant(row, "dispatch_at"),
                row.getString("status"),
                row.getString("note"),
                new ArrayList<>());
    }

    private static OrderLine line(ResultSet row) throws SQLException {
        var product = new Product(
                row.getInt("product_id"),
                row.getString("name"),
                row.getString("category"),
                row.getLong("list_price_cents"));
        return new OrderLine(
                row.getInt("position"),
                product,
                row.getInt("quantity"),
                row.getLong("list_cents"),
                row.getLong("net_cents"),
                row.getLong("gross_cents"));
    }

    private static Instant instant(ResultSet row, String column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }
}
