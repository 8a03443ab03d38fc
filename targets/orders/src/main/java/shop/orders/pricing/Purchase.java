package shop.orders.pricing;

import shop.orders.catalogue.Product;

/** What a price is asked for: so many pieces of a product for a customer of some level. */
public record Purchase(Product product, int quantity, String level) {

    Purchase ofQuantity(int other) {
        return new Purchase(product, other, level);
    }

    long listCents() {
        return product.listPriceCents() * quantity;
    }
}
