package shop.orders.reporting;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.PositiveOrZero;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** What was ordered: the list of all orders, and one customer's report. */
@RestController
class ReportController {

    private final OrderOverviews overviews;
    private final CustomerReports reports;
    private final ReportWriter writer;

    ReportController(OrderOverviews overviews, CustomerReports reports, ReportWriter writer) {
        this.overviews = overviews;
        this.reports = reports;
        this.writer = writer;
    }

    @GetMapping(path = "/orders", produces = MediaType.APPLICATION_JSON_VALUE)
    byte[] orders(@RequestParam(defaultValue = "0") @PositiveOrZero @Max(1_000_000) int page) {
        return writer.list(page, overviews.page(page));
    }

    @GetMapping(path = "/report", produces = MediaType.APPLICATION_JSON_VALUE)
    byte[] report(@RequestParam int customer) {
        return reports.of(customer)
                .map(writer::report)
                .orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND, "There is no such customer"));
    }
}
