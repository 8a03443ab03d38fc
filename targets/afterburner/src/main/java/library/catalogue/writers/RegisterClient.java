package library.catalogue.writers;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.http.HttpResponse;
import org.apache.http.client.methods.HttpGet;
import org.apache.http.concurrent.FutureCallback;
import org.apache.http.nio.client.HttpAsyncClient;
import org.apache.http.util.EntityUtils;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/** Asks the register of writers, without a thread that waits for its answer. */
@Component
public class RegisterClient {

    private final HttpAsyncClient client;
    private final String register;
    private final ObjectMapper json;

    RegisterClient(HttpAsyncClient client, @Value("${catalogue.register}") String register, ObjectMapper json) {
        this.client = client;
        this.register = register;
        this.json = json;
    }

    /** The writer called `name`; fails where the register gives no answer. */
    public CompletableFuture<Optional<Writer>> find(String name) {
        var answer = new CompletableFuture<HttpResponse>();
        client.execute(new HttpGet(register + "/writers?name=" + name), new Completion(answer));
        return answer.thenApply(this::writer);
    }

    private Optional<Writer> writer(HttpResponse answer) {
        int status = answer.getStatusLine().getStatusCode();
        if (status == 404) {
            return Optional.empty();
        }
        if (status != 200) {
            throw new CompletionException(new IOException("the register answers " + status));
        }
        try {
            return Optional.of(json.readValue(EntityUtils.toString(answer.getEntity()), Writer.class));
        } catch (IOException failed) {
            throw new CompletionException(failed);
        }
    }

    /** Hands on what Apache's client calls back with. */
    private record Completion(CompletableFuture<HttpResponse> answer) implements FutureCallback<HttpResponse> {

        @Override
        public void completed(HttpResponse response) {
            answer.complete(response);
        }

        @Override
        public void failed(Exception failure) {
            answer.completeExceptionally(failure);
        }

        @Override
        public void cancelled() {
            answer.cancel(false);
        }
    }
}
