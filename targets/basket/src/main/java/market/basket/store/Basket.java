package market.basket.store;

import java.util.List;
import market.basket.goods.Product;

/** What a customer wants to buy. */
public record Basket(long id, String customer, int town, List<Line> lines) {

    public record Line(Product product, int quantity) {

        public int cents() {
            return quantity * product.cents();
        }
    }

    public int cents() {
        return lines.stream().mapToInt(Line::cents).sum();
    }
}
