package shop.orders.reporting;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.List;
import org.springframework.stereotype.Component;
import shop.orders.catalogue.Product;
import shop.orders.customers.Customer;
import shop.orders.ordering.Order;
import shop.orders.ordering.OrderLine;
import shop.orders.reporting.CustomerReport.MonthlySpending;

/** Writes lists and reports as JSON, field by field: they are too large to be mapped by reflection. */
@Component
class ReportWriter {

    private static final int USUAL_BYTES = 16_384;
    private static final Duration TRANSPORT = Duration.ofHours(30);
    private static final Duration RETURNABLE = Duration.ofDays(30);

    private final JsonFactory json = new JsonFactory();

    byte[] list(int page, List<OrderOverview> orders) {
        return document(out -> {
            out.writeNumberField("page", page);
            out.writeArrayFieldStart("orders");
            for (OrderOverview order : orders) {
                overview(out, order);
            }
            out.writeEndArray();
        });
    }

    byte[] report(CustomerReport report) {
        return document(out -> {
            out.writeFieldName("customer");
            customer(out, report.customer());
            out.writeArrayFieldStart("orders");
            for (Order order : report.orders()) {
                order(out, order);
            }
            out.writeEndArray();
            out.writeArrayFieldStart("spending");
            for (MonthlySpending spending : report.spending()) {
                spending(out, spending);
            }
            out.writeEndArray();
            out.writeArrayFieldStart("suggestions");
            for (Product product : report.suggestions()) {
                product(out, product);
            }
            out.writeEndArray();
        });
    }

    private byte[] document(Content content) {
        var bytes = new ByteArrayOutputStream(USUAL_BYTES);
        try (JsonGenerator out = json.createGenerator(bytes)) {
            out.writeStartObject();
            content.write(out);
            out.writeEndObject();
        } catch (IOException impossible) {
            throw new UncheckedIOException("Writing to memory failed", impossible);
        }
        return bytes.toByteArray();
    }

    private void overview(JsonGenerator out, OrderOverview order) throws IOException {
        out.writeStartObject();
        out.writeNumberField("id", order.id());
        out.writeFieldName("customer");
        customer(out, order.customer());
        time(out, "placedAt", order.placedAt());
        time(out, "dispatchAt", order.dispatchAt());
        out.writeStringField("status", order.status());
        out.writeStringField("note", order.note());
        out.writeNumberField("lines", order.totals().lines());
        out.writeNumberField("pieces", order.totals().pieces());
        amounts(out, order.totals().listCents(), order.totals().netCents(), order.totals().grossCents());
        out.writeEndObject();
    }

    private void order(JsonGenerator out, Order order) throws IOException {
        out.writeStartObject();
        out.writeNumberField("id", order.id());
        time(out, "placedAt", order.placedAt());
        out.writeStringField("status", order.status());
        out.writeStringField("note", order.note());
        out.writeArrayFieldStart("lines");
        for (OrderLine line : order.lines()) {
            line(out, line, order.dispatchAt());
        }
        out.writeEndArray();
        out.writeEndObject();
    }

    private void line(JsonGenerator out, OrderLine line, Instant dispatchAt) throws IOException {
        Instant arrival = dispatchAt.plus(TRANSPORT);
        out.writeStartObject();
        out.writeNumberField("position", line.position());
        out.writeFieldName("product");
        product(out, line.product());
        out.writeNumberField("quantity", line.quantity());
        amounts(out, line.listCents(), line.netCents(), line.grossCents());
        time(out, "dispatchAt", dispatchAt);
        time(out, "arrivesBy", arrival);
        time(out, "returnableUntil", arrival.plus(RETURNABLE));
        out.writeEndObject();
    }

    private void spending(JsonGenerator out, MonthlySpending spending) throws IOException {
        out.writeStartObject();
        out.writeStringField("month", spending.month().name());
        out.writeStringField("category", spending.category());
        out.writeNumberField("pieces", spending.pieces());
        amounts(out, spending.listCents(), spending.netCents(), spending.grossCents());
        out.writeEndObject();
    }

    private void customer(JsonGenerator out, Customer customer) throws IOException {
        out.writeStartObject();
        out.writeNumberField("id", customer.id());
        out.writeStringField("name", customer.name());
        out.writeStringField("email", customer.email());
        out.writeStringField("level", customer.level());
        out.writeEndObject();
    }

    private void product(JsonGenerator out, Product product) throws IOException {
        out.writeStartObject();
        out.writeNumberField("id", product.id());
        out.writeStringField("name", product.name());
        out.writeStringField("category", product.category());
        amount(out, "listPrice", product.listPriceCents());
        out.writeEndObject();
    }

    private void amounts(JsonGenerator out, long listCents, long netCents, long grossCents) throws IOException {
        amount(out, "list", listCents);
        amount(out, "discount", listCents - netCents);
        amount(out, "net", netCents);
        amount(out, "tax", grossCents - netCents);
        amount(out, "gross", grossCents);
    }

    private void amount(JsonGenerator out, String field, long cents) throws IOException {
        out.writeFieldName(field);
        out.writeNumber(BigDecimal.valueOf(cents, 2));
    }

    private void time(JsonGenerator out, String field, Instant time) throws IOException {
        out.writeStringField(field, DateTimeFormatter.ISO_INSTANT.format(time));
    }

    private interface Content {
        void write(JsonGenerator out) throws IOException;
    }
}
