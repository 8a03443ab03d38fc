package shop.orders.ordering;

import java.time.Instant;
import java.util.List;

/** An order as it was placed; {@code id} is 0 until it is stored. */
public record Order(
        long id,
        int customer,
        Instant placedAt,
        Instant dispatchAt,
        String status,
        String note,
        List<OrderLine> lines) {

    Order numbered(long number) {
        return new Order(number, customer, placedAt, dispatchAt, status, note, lines);
    }
}
