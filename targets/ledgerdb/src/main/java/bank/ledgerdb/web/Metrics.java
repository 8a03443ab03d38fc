package bank.ledgerdb.web;

import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.Unit;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** How long requests took, and how the JVM fares, as a page for Prometheus. */
final class Metrics {

    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final PrometheusTextFormatWriter writer =
            PrometheusTextFormatWriter.builder().build();
    // Named and labelled by OpenTelemetry's conventions for HTTP servers.
    private final Histogram requests = Histogram.builder()
            .name("http_server_request_duration_seconds")
            .help("Duration of HTTP requests")
            .unit(Unit.SECONDS)
            .labelNames("http_request_method", "http_route", "http_response_status_code")
            .classicOnly()
            .classicExponentialUpperBounds(0.0001, 1.5, 28)
            .register(registry);

    Metrics() {
        JvmMetrics.builder().register(registry);
    }

    void observe(String method, String route, int status, long nanoseconds) {
        requests.labelValues(method, route, String.valueOf(status)).observe(nanoseconds / 1e9);
    }

    String type() {
        return writer.getContentType();
    }

    String page() throws IOException {
        var page = new ByteArrayOutputStream();
        writer.write(page, registry.scrape());
        return page.toString(StandardCharsets.UTF_8);
    }
}
