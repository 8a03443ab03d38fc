package shop.orders.reporting;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.Month;
import java.util.List;
import org.junit.jupiter.api.Test;
import shop.orders.catalogue.Product;
import shop.orders.customers.Customer;
import shop.orders.ordering.Order;
import shop.orders.ordering.OrderLine;
import shop.orders.reporting.CustomerReport.MonthlySpending;

class ReportWriterTest {

    private static final Instant NOON = Instant.parse("2024-05-06T12:00:00Z");
    private static final Customer CUSTOMER = new Customer(5, "Abel \"& Sons\"", "abel@customer.example", "gold");

    private final ReportWriter writer = new ReportWriter();

    @Test
    void writesAListOfOrders() {
        var totals = new OrderOverview.Totals(2, 30, 10_000, 9_000, 10_710);
        var order = new OrderOverview(9, CUSTOMER, NOON, NOON.plusSeconds(60), "confirmed", "", totals);

        assertThat(new String(writer.list(3, List.of(order)), StandardCharsets.UTF_8))
                .isEqualTo("{\"page\":3,\"orders\":[{\"id\":9,"
                        + "\"customer\":{\"id\":5,\"name\":\"Abel \\\"& Sons\\\"\","
                        + "\"email\":\"abel@customer.example\",\"level\":\"gold\"},"
                        + "\"placedAt\":\"2024-05-06T12:00:00Z\",\"dispatchAt\":\"2024-05-06T12:01:00Z\","
                        + "\"status\":\"confirmed\",\"note\":\"\",\"lines\":2,\"pieces\":30,"
                        + "\"list\":100.00,\"discount\":10.00,\"net\":90.00,\"tax\":17.10,\"gross\":107.10}]}");
    }

    @Test
    void writesEveryPartOfAReport() throws IOException {
        var product = new Product(1, "Hammer", "tools", 1_000);
        var line = new OrderLine(1, product, 10, 10_000, 9_500, 11_305);
        var order = new Order(9, 5, NOON, NOON, "confirmed", "", List.of(line));
        var may = new MonthlySpending(Month.MAY, "tools", 10, 10_000, 9_500, 11_305);

        JsonNode report = new ObjectMapper()
                .readTree(writer.report(new CustomerReport(CUSTOMER, List.of(order), List.of(may), List.of(product))));

        assertThat(report.at("/customer/level").asText()).isEqualTo("gold");
        assertThat(report.at("/orders/0/lines/0/product/listPrice").decimalValue()).isEqualByComparingTo("10.00");
        assertThat(report.at("/orders/0/lines/0/returnableUntil").asText()).isEqualTo("2024-06-06T18:00:00Z");
        assertThat(report.at("/spending/0/month").asText()).isEqualTo("MAY");
        assertThat(report.at("/suggestions/0/name").asText()).isEqualTo("Hammer");
    }
}
