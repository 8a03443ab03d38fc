package market.basket.goods;

/** What the shop sells. */
public record Product(int id, String name, int cents, int grams) {}
