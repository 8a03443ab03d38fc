package market.basket.web;

import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.Unit;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

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
    Handler<RoutingContext> timed(String route, Handler<RoutingContext> handler) {
        return context -> {
            long begun = System.nanoTime();
            context.addEndHandler(ended -> requests.labelValues(
                            context.request().method().name(),
                            route,
                            String.valueOf(context.response().getStatusCode()))
                    .observe((System.nanoTime() - begun) / 1e9));
            handler.handle(context);
        };
    }

    void page(RoutingContext context) {
        var page = new ByteArrayOutputStream();
        try {
            writer.write(page, registry.scrape());
        } catch (IOException neverInMemory) {
            throw new UncheckedIOException(neverInMemory);
        }
        context.response().putHeader("Content-Type", writer.getContentType()).end(Buffer.buffer(page.toByteArray()));
    }
}
