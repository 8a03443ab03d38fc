package depot.packer.web;

import depot.packer.archive.Archive;
import depot.packer.archive.Catalogue;
import depot.packer.archive.Part;
import depot.packer.packing.Packing;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Requests for archives. */
final class Requests extends Handler.Abstract {

    private static final Pattern PATH = Pattern.compile("/archives/(\\d{1,6})(/parts)?");

    private final Catalogue catalogue;
    private final Packing packing;
    private final Metrics metrics;

    Requests(Catalogue catalogue, Packing packing, Metrics metrics) {
        this.catalogue = catalogue;
        this.packing = packing;
        this.metrics = metrics;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        String path = Request.getPathInContext(request);
        switch (path) {
            case "/health" -> send(response, callback, new Answer(200, "text/plain", "UP\n"));
            case "/metrics" -> send(response, callback, new Answer(200, metrics.type(), metrics.page()));
            default -> send(response, callback, timed(request.getMethod(), path));
        }
        return true;
    }

    private Answer timed(String method, String path) throws InterruptedException {
        Matcher found = PATH.matcher(path);
        if (!found.matches()) {
            return Answer.refused(404, "there is nothing here");
        }
        int id = Integer.parseInt(found.group(1));
        boolean parts = found.group(2) != null;
        long begun = System.nanoTime();
        Answer answer = answer(method, id, parts);
        String route = parts ? "/archives/{id}/parts" : "/archives/{id}";
        metrics.observe(method, route, answer.status(), System.nanoTime() - begun);
        return answer;
    }

    private Answer answer(String method, int id, boolean parts) throws InterruptedException {
        Optional<Archive> known = catalogue.find(id);
        if (known.isEmpty()) {
            return Answer.refused(404, "there is no such archive");
        }
        if (method.equals("POST") && !parts) {
            return pack(id);
        }
        if (!method.equals("GET")) {
            return Answer.refused(405, "an archive can be packed and looked at");
        }
        return Answer.json(200, parts ? parts(known.get()) : summary(known.get()));
    }

    private Answer pack(int id) throws InterruptedException {
        try {
            Archive archive = packing.pack(id);
            catalogue.keep(archive);
            return Answer.json(201, summary(archive));
        } catch (RejectedExecutionException full) {
            return Answer.refused(503, "too much is being packed");
        }
    }

    private static String summary(Archive archive) {
        return "{\"id\":%d,\"parts\":%d,\"bytes\":%d,\"packed\":%d}"
                .formatted(archive.id(), archive.parts().size(), archive.bytes(), archive.packedBytes());
    }

    private static String parts(Archive archive) {
        return archive.parts().stream().map(Requests::part).collect(Collectors.joining(",", "[", "]"));
    }

    private static String part(Part part) {
        return "{\"number\":" + part.number() + ",\"packed\":" + part.packedBytes() + ",\"checksum\":" + part.checksum()
                + "}";
    }

    private static void send(Response response, Callback callback, Answer answer) {
        response.setStatus(answer.status());
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, answer.type());
        Content.Sink.write(response, true, answer.text(), callback);
    }

    private record Answer(int status, String type, String text) {

        static Answer json(int status, String text) {
            return new Answer(status, "application/json", text);
        }

        static Answer refused(int status, String why) {
            return new Answer(status, "text/plain; charset=utf-8", why + "\n");
        }
    }
}
