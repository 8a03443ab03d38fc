package library.catalogue.writers;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.httpcomponents.MicrometerHttpClientInterceptor;
import org.apache.http.HttpRequest;
import org.apache.http.client.config.RequestConfig;
import org.apache.http.impl.nio.client.CloseableHttpAsyncClient;
import org.apache.http.impl.nio.client.HttpAsyncClients;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Apache's asynchronous client, with Micrometer's own timer of each request: `httpcomponents.httpclient.request`. */
@Configuration
class MeasuredClient {

    private static final int CONNECTIONS = 20;
    private static final int PATIENCE_MS = 5_000;

    @Bean(initMethod = "start", destroyMethod = "close")
    CloseableHttpAsyncClient httpClient(MeterRegistry meters) {
        var timer = new MicrometerHttpClientInterceptor(meters, MeasuredClient::uri, Tags.empty(), false);
        var patience = RequestConfig.custom()
                .setConnectTimeout(PATIENCE_MS)
                .setConnectionRequestTimeout(PATIENCE_MS)
                .setSocketTimeout(PATIENCE_MS)
                .build();
        return HttpAsyncClients.custom()
                .setDefaultRequestConfig(patience)
                .setMaxConnTotal(CONNECTIONS)
                .setMaxConnPerRoute(CONNECTIONS)
                .addInterceptorFirst(timer.getRequestInterceptor())
                .addInterceptorLast(timer.getResponseInterceptor())
                .build();
    }

    // The label `uri`: without the query, which has a value for every writer.
    private static String uri(HttpRequest request) {
        String uri = request.getRequestLine().getUri();
        int query = uri.indexOf('?');
        return query < 0 ? uri : uri.substring(0, query);
    }
}
