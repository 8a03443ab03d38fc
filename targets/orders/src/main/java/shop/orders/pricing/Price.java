package shop.orders.pricing;

/** The price of a purchase: without discounts, after them, and with tax; discount in hundredths of a percent. */
public record Price(int quantity, int discountBasisPoints, long listCents, long netCents, long grossCents) {}
