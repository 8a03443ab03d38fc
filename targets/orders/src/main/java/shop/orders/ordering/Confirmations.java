package shop.orders.ordering;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.springframework.core.task.TaskExecutor;
import org.springframework.stereotype.Service;
import shop.orders.customers.Customer;

/** Confirms orders behind the customer's back: writes and seals the text, then marks the order as confirmed. */
@Service
class Confirmations {

    private static final int KEPT = 256;

    private final TaskExecutor confirmationsPool;
    private final OrderStore store;
    private final ConcurrentMap<Long, Confirmation> latest = new ConcurrentHashMap<>();

    Confirmations(TaskExecutor confirmationsPool, OrderStore store) {
        this.confirmationsPool = confirmationsPool;
        this.store = store;
    }

    void confirm(Order order, Customer customer) {
        confirmationsPool.execute(() -> {
            String text = text(order, customer);
            latest.put(order.id() % KEPT, new Confirmation(order.id(), customer.email(), text, seal(text)));
            store.setStatus(order.id(), "confirmed");
        });
    }

    private static String text(Order order, Customer customer) {
        var text = new StringBuilder();
        text.append("Dear ").append(customer.name()).append(",\n\nthank you for order ").append(order.id());
        text.append(" of ").append(order.placedAt()).append(".\n\n");
        for (OrderLine line : order.lines()) {
            text.append(line.quantity()).append(" x ").append(line.product().name()).append('\n');
        }
        text.append("\nIt will leave our house by ").append(order.dispatchAt()).append(".\n");
        return text.toString();
    }

    private static String seal(String text) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("Every Java platform has SHA-256", impossible);
        }
    }

    private record Confirmation(long order, String email, String text, String seal) {}
}
