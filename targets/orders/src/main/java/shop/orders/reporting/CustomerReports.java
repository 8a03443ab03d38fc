package shop.orders.reporting;

import java.time.Month;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.springframework.stereotype.Service;
import shop.orders.catalogue.Catalogue;
import shop.orders.customers.Customer;
import shop.orders.customers.Customers;
import shop.orders.ordering.Order;
import shop.orders.ordering.OrderLine;
import shop.orders.ordering.OrderStore;
import shop.orders.reporting.CustomerReport.MonthlySpending;

/** Puts together what a customer's report tells. */
@Service
class CustomerReports {

    private static final int ORDERS = 4;
    private static final int SUGGESTIONS = 60;

    private final Customers customers;
    private final OrderStore store;
    private final Catalogue catalogue;

    CustomerReports(Customers customers, OrderStore store, Catalogue catalogue) {
        this.customers = customers;
        this.store = store;
        this.catalogue = catalogue;
    }

    /** The report of a customer, if there is one of that number. */
    Optional<CustomerReport> of(int id) {
        return customers.find(id).map(this::report);
    }

    private CustomerReport report(Customer customer) {
        List<Order> orders = store.ofCustomer(customer.id(), ORDERS);
        Set<String> categories = categories(orders);
        return new CustomerReport(
                customer,
                orders,
                spending(orders, categories),
                categories.isEmpty() ? List.of() : catalogue.inCategories(categories, SUGGESTIONS));
    }

    private static Set<String> categories(List<Order> orders) {
        var categories = new TreeSet<String>();
        for (Order order : orders) {
            for (OrderLine line : order.lines()) {
                categories.add(line.product().category());
            }
        }
        return categories;
    }

    private static List<MonthlySpending> spending(List<Order> orders, Set<String> categories) {
        var spending = new ArrayList<MonthlySpending>();
        for (Month month : Month.values()) {
            List<OrderLine> lines = linesOf(month, orders);
            for (String category : categories) {
                spending.add(spending(month, category, lines));
            }
        }
        return spending;
    }

    private static List<OrderLine> linesOf(Month month, List<Order> orders) {
        return orders.stream()
                .filter(order -> order.placedAt().atOffset(ZoneOffset.UTC).getMonth() == month)
                .flatMap(order -> order.lines().stream())
                .toList();
    }

    private static MonthlySpending spending(Month month, String category, List<OrderLine> lines) {
        int pieces = 0;
        long list = 0;
        long net = 0;
        long gross = 0;
        for (OrderLine line : lines) {
            if (line.product().category().equals(category)) {
                pieces += line.quantity();
                list += line.listCents();
                net += line.netCents();
                gross += line.grossCents();
            }
        }
        return new MonthlySpending(month, category, pieces, list, net, gross);
    }
}
