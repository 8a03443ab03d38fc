package shop.orders.pricing;

import java.util.List;
import shop.orders.catalogue.Product;

/** The price of a purchase, and of larger ones that may be worth thinking about. */
public record Quote(Product product, Price price, List<Price> ladder) {}
