package shop.orders.ordering;

import shop.orders.catalogue.Product;

/** One line of an order; amounts are for the whole quantity, {@code listCents} before discounts. */
public record OrderLine(
        int position, Product product, int quantity, long listCents, long netCents, long grossCents) {}
