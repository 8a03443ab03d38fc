package shop.orders.reporting;

import java.time.Instant;
import shop.orders.customers.Customer;

/** One row of the list of orders; amounts are sums over the order's lines. */
record OrderOverview(
        long id, Customer customer, Instant placedAt, Instant dispatchAt, String status, String note, Totals totals) {

    record Totals(int lines, int pieces, long listCents, long netCents, long grossCents) {}
}
