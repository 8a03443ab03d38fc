package shop.orders.catalogue;

/** Something the shop sells; {@code listPriceCents} is the price of one piece before discounts and tax. */
public record Product(int id, String name, String category, long listPriceCents) {}
