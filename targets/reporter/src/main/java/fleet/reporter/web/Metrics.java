package fleet.reporter.web;

import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.Unit;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.http.javadsl.model.ContentTypes;
import org.apache.pekko.http.javadsl.model.HttpEntities;
import org.apache.pekko.http.javadsl.model.HttpResponse;

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

    /** `answer`, counted when it is there, or has failed. */
    CompletionStage<HttpResponse> timed(String route, CompletionStage<HttpResponse> answer) {
        long begun = System.nanoTime();
        return answer.whenComplete((response, failure) -> requests.labelValues(
                        "GET",
                        route,
                        String.valueOf(failure == null ? response.status().intValue() : 500))
                .observe((System.nanoTime() - begun) / 1e9));
    }

    HttpResponse page() {
        var page = new ByteArrayOutputStream();
        try {
            writer.write(page, registry.scrape());
        } catch (IOException neverInMemory) {
            throw new UncheckedIOException(neverInMemory);
        }
        return HttpResponse.create().withEntity(HttpEntities.create(ContentTypes.TEXT_PLAIN_UTF8, page.toByteArray()));
    }
}
