package shop.orders.reporting;

import java.time.Month;
import java.util.List;
import shop.orders.catalogue.Product;
import shop.orders.customers.Customer;
import shop.orders.ordering.Order;

/** Everything the shop tells a customer about their business with it. */
record CustomerReport(
        Customer customer, List<Order> orders, List<MonthlySpending> spending, List<Product> suggestions) {

    /** What was bought of a category in a month, in any year; zero where nothing was. */
    record MonthlySpending(Month month, String category, int pieces, long listCents, long netCents, long grossCents) {}
}
