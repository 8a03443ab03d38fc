package shop.orders.customers;

/** Somebody who buys; {@code level} is standard, silver or gold and opens discounts. */
public record Customer(int id, String name, String email, String level) {}
