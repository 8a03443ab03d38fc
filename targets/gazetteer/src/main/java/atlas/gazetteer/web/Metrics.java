package atlas.gazetteer.web;

import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.Unit;
import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.Headers;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;

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

    /** `handler`, with every request counted from its arrival until its answer was handed to the socket. */
    HttpHandler timed(String route, HttpHandler handler) {
        return exchange -> {
            long begun = System.nanoTime();
            exchange.addExchangeCompleteListener((done, next) -> {
                requests.labelValues(done.getRequestMethod().toString(), route, String.valueOf(done.getStatusCode()))
                        .observe((System.nanoTime() - begun) / 1e9);
                next.proceed();
            });
            handler.handleRequest(exchange);
        };
    }

    void page(HttpServerExchange exchange) throws IOException {
        var page = new ByteArrayOutputStream();
        writer.write(page, registry.scrape());
        exchange.getResponseHeaders().put(Headers.CONTENT_TYPE, writer.getContentType());
        exchange.getResponseSender().send(ByteBuffer.wrap(page.toByteArray()));
    }
}
