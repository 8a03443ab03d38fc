package market.basket.goods;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** All products, in memory. */
public final class Assortment {

    private final Map<Integer, Product> products;

    public Assortment(List<Product> products) {
        this.products = products.stream().collect(Collectors.toUnmodifiableMap(Product::id, Function.identity()));
    }

    public Optional<Product> find(int id) {
        return Optional.ofNullable(products.get(id));
    }
}
