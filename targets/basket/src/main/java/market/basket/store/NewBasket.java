package market.basket.store;

import java.util.List;
import market.basket.goods.Product;

/** A basket that is not stored yet. */
public record NewBasket(String customer, int town, List<Wanted> lines) {

    public record Wanted(Product product, int quantity) {}

    public int cents() {
        return lines.stream()
                .mapToInt(line -> line.quantity() * line.product().cents())
                .sum();
    }
}
