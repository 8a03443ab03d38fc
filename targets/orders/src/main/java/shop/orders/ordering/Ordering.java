package shop.orders.ordering;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.springframework.stereotype.Service;
import shop.orders.catalogue.Catalogue;
import shop.orders.catalogue.Product;
import shop.orders.customers.Customer;
import shop.orders.customers.Customers;
import shop.orders.pricing.Price;
import shop.orders.pricing.Pricing;
import shop.orders.pricing.Purchase;

/** Takes orders: looks up and prices their lines, stores them, and has them confirmed. */
@Service
class Ordering {

    private static final Duration PICKING = Duration.ofHours(20);

    private final Customers customers;
    private final Catalogue catalogue;
    private final Pricing pricing;
    private final OrderStore store;
    private final Confirmations confirmations;
    private final Clock clock;

    Ordering(
            Customers customers,
            Catalogue catalogue,
            Pricing pricing,
            OrderStore store,
            Confirmations confirmations,
            Clock clock) {
        this.customers = customers;
        this.catalogue = catalogue;
        this.pricing = pricing;
        this.store = store;
        this.confirmations = confirmations;
        this.clock = clock;
    }

    Order order(long id) {
        return store.find(id).orElseThrow(() -> new OrderNotFound(id));
    }

    /** Stores the order and returns it with its number; the confirmation follows on a thread of its own. */
    Order place(NewOrder request) {
        Customer customer = customers
                .find(request.customer())
                .orElseThrow(() -> new InvalidOrder("customer", request.customer()));
        List<OrderLine> lines = lines(purchases(request, customer));
        Instant now = clock.instant().truncatedTo(ChronoUnit.SECONDS);
        String note = Objects.requireNonNullElse(request.note(), "");
        var order = new Order(0, customer.id(), now, now.plus(PICKING), "placed", note, lines);
        Order stored = order.numbered(store.add(order));
        confirmations.confirm(stored, customer);
        return stored;
    }

    private List<Purchase> purchases(NewOrder request, Customer customer) {
        var ids = request.lines().stream().map(NewOrder.Item::product).collect(Collectors.toSet());
        Map<Integer, Product> products = catalogue.findAll(ids);
        var purchases = new ArrayList<Purchase>();
        for (NewOrder.Item item : request.lines()) {
            Product product = products.get(item.product());
            if (product == null) {
                throw new InvalidOrder("product", item.product());
            }
            purchases.add(new Purchase(product, item.quantity(), customer.level()));
        }
        return purchases;
    }

    private List<OrderLine> lines(List<Purchase> purchases) {
        List<Price> prices = pricing.prices(purchases);
        var lines = new ArrayList<OrderLine>();
        for (int i = 0; i < purchases.size(); i++) {
            Purchase purchase = purchases.get(i);
            Price price = prices.get(i);
            lines.add(new OrderLine(
                    i + 1,
                    purchase.product(),
                    purchase.quantity(),
                    price.listCents(),
                    price.netCents(),
                    price.grossCents()));
        }
        return lines;
    }
}
